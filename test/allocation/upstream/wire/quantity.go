package wire

import (
	"encoding/json"
	"math"
	"reflect"

	"k8s.io/apimachinery/pkg/api/resource"
)

var quantityType = reflect.TypeFor[resource.Quantity]()

// Marshal is json.Marshal, except for quantities above int64: resource.Quantity writes 1e21 as "1".
func Marshal[T any](object T) ([]byte, error) {
	return json.Marshal(writable(reflect.ValueOf(&object)).Interface())
}

// A copy in which large quantities have a format that keeps their value.
func writable(v reflect.Value) reflect.Value {
	if v.Type() == quantityType {
		return reflect.ValueOf(writableQuantity(v.Interface().(resource.Quantity)))
	}
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() {
			return v
		}
		copied := reflect.New(v.Type().Elem())
		copied.Elem().Set(writable(v.Elem()))
		return copied
	case reflect.Struct:
		copied := reflect.New(v.Type()).Elem()
		copied.Set(v)
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				copied.Field(i).Set(writable(v.Field(i)))
			}
		}
		return copied
	case reflect.Slice:
		if v.IsNil() || v.Type().Elem().Kind() == reflect.Uint8 {
			return v
		}
		copied := reflect.MakeSlice(v.Type(), v.Len(), v.Len())
		for i := range v.Len() {
			copied.Index(i).Set(writable(v.Index(i)))
		}
		return copied
	case reflect.Map:
		if v.IsNil() {
			return v
		}
		copied := reflect.MakeMapWithSize(v.Type(), v.Len())
		for entries := v.MapRange(); entries.Next(); {
			copied.SetMapIndex(entries.Key(), writable(entries.Value()))
		}
		return copied
	}
	return v
}

func writableQuantity(q resource.Quantity) resource.Quantity {
	copied := q.DeepCopy()
	if copied.CmpInt64(math.MaxInt64) > 0 {
		copied = resource.MustParse(copied.AsDec().String())
		copied.Format = resource.DecimalExponent
	}
	return copied
}
