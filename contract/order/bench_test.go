package order_test

import (
	"fmt"
	"testing"

	"raw/contract/order"
)

// BenchmarkAlone is the whole way of a call that meets no other.
func BenchmarkAlone(b *testing.B) {
	for _, spec := range []string{"x", "s", "sp"} {
		b.Run(spec, func(b *testing.B) {
			q, call, ctx := order.New(order.Options{}), parse(spec), b.Context()
			b.ReportAllocs()
			for b.Loop() {
				p := q.Accept(call)
				if p.Decide(ctx) != nil || p.Enter(ctx) != nil {
					b.Fatal("stopped")
				}
				p.Leave()
			}
		})
	}
}

// BenchmarkBeside is the way of a shared call beside n others that run.
func BenchmarkBeside(b *testing.B) {
	for _, n := range []int{10, 100, 1000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			q, call, ctx := order.New(order.Options{Slots: n + 1}), parse("s"), b.Context()
			for range n {
				if err := q.Accept(call).Enter(ctx); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportAllocs()
			for b.Loop() {
				p := q.Accept(call)
				if p.Decide(ctx) != nil || p.Enter(ctx) != nil {
					b.Fatal("stopped")
				}
				p.Leave()
			}
		})
	}
}
