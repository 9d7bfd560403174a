/** Test filters written as WebAssembly text: valid ones, and every kind of invalid one. */
import wabt from 'wabt';

type Part = 'memory' | 'alloc' | 'check' | 'result' | 'more';

const parts: Record<Part, string> = {
  memory: '(memory (export "memory") 1 16)',
  alloc: `(global $free (mut i32) (i32.const 1024))
    (func (export "alloc") (param $size i32) (result i32)
      (global.get $free) (global.set $free (i32.add (global.get $free) (local.get $size))))`,
  check: '(func (export "check") (param i32 i32 i32 i32) (result i32) (i32.const 0))',
  result: `(func (export "get_result_ptr") (result i32) (i32.const 0))
    (func (export "get_result_len") (result i32) (i32.const 0))`,
  more: '',
};

/** Returns a filter that allows everything, with the given parts replaced. */
export const filter = (changed: Partial<Record<Part, string>> = {}): string =>
  `(module ${changed.more ?? ''} ${Object.values({ ...parts, ...changed, more: '' }).join('\n')})`;

/**
 * Returns a filter with its own `check` body, whose parameters are $content, $length, $metadata and $metadata_length.
 */
export const checking = (body: string, changed: Partial<Record<Part, string>> = {}): string =>
  filter({
    check: `(func (export "check") (param $content i32) (param $length i32) (param $metadata i32) (param $metadata_length i32)
      (result i32) ${body})`,
    ...changed,
  });

const resultAt = (at: string, length: string): string => `(func (export "get_result_ptr") (result i32) ${at})
  (func (export "get_result_len") (result i32) ${length})`;

/** Returns a filter that flags every input; its result is the `text` stored in memory at `at`. */
export const flagging = (text: string, { at = 64, length = Buffer.byteLength(text) } = {}): string =>
  checking('(i32.const 1)', {
    result: `(data (i32.const 64) "${escaped(text)}") ${resultAt(`(i32.const ${at})`, `(i32.const ${length})`)}`,
  });

/** Filter that flags everything and returns the content itself as the result. */
export const echo = checking(
  `(global.set $at (local.get $content)) (global.set $bytes (local.get $length)) (i32.const 1)`,
  {
    memory: '(memory (export "memory") 4 16)',
    more: '(global $at (mut i32) (i32.const 0)) (global $bytes (mut i32) (i32.const 0))',
    result: resultAt('(global.get $at)', '(global.get $bytes)'),
  },
);

/** Returns a filter that flags its input if the metadata is exactly these bytes. */
export const expectingMetadata = (text: string): string =>
  checking(
    `(local $i i32)
     (if (i32.ne (local.get $metadata_length) (i32.const ${Buffer.byteLength(text)})) (then (return (i32.const 0))))
     (loop $next
       (if (i32.ne (i32.load8_u (i32.add (local.get $metadata) (local.get $i)))
                   (i32.load8_u (i32.add (i32.const 64) (local.get $i))))
         (then (return (i32.const 0))))
       (local.set $i (i32.add (local.get $i) (i32.const 1)))
       (br_if $next (i32.lt_u (local.get $i) (local.get $metadata_length))))
     (i32.const 1)`,
    {
      result: `(data (i32.const 64) "${escaped(text)}")
        ${resultAt('(i32.const 64)', `(i32.const ${Buffer.byteLength(text)})`)}`,
    },
  );

export const looping = checking('(loop $again (br $again)) (i32.const 0)');

/** Filter that grows its memory until it gets no more, and then keeps trying. */
export const growing = checking('(loop $again (drop (memory.grow (i32.const 1))) (br $again)) (i32.const 0)', {
  memory: '(memory (export "memory") 1 1024)',
});

/** Filter that flags on the second call of an instance. */
export const counting = checking(
  `(global.set $calls (i32.add (global.get $calls) (i32.const 1))) (i32.gt_u (global.get $calls) (i32.const 1))`,
  { more: '(global $calls (mut i32) (i32.const 0))' },
);

const escaped = (text: string): string =>
  [...Buffer.from(text)].map((byte) => `\\${byte.toString(16).padStart(2, '0')}`).join('');

/** Returns the binary of a module. */
export async function built(wat: string): Promise<Uint8Array> {
  const { parseWat } = await wabt();
  const features = { threads: true, memory64: true, multi_memory: true, reference_types: true, exceptions: true };
  return new Uint8Array(parseWat('test.wat', wat, features).toBinary({}).buffer);
}
