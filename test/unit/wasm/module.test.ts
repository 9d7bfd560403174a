/** Which modules may be filters: they follow the ABI, import nothing, and what they can allocate has an end. */
import { check } from '#adapters/wasm/check.ts';
import { compileModule } from '#adapters/wasm/module.ts';
import { built, checking, echo, expectingMetadata, filter, flagging } from './wat.ts';

const compiled = async (wat: string) => compileModule(await built(wat));
const metadata = { tenant_id: 'acme', model: 'mock', provider: 'mock', phase: 'input' } as const;
const run = async (wat: string, text = 'hello') =>
  check({ module: await compiled(wat), content: new TextEncoder().encode(text), metadata });

type Row = [what: string, wat: string, expected: string];

describe('[wasm.abi] a module is refused', () => {
  test.each<Row>([
    [
      'that imports a function',
      filter({ more: '(import "env" "log" (func (param i32)))' }),
      'it imports something; a filter gets nothing',
    ],
    [
      'that imports its memory',
      filter({ memory: '(import "env" "memory" (memory 1 2)) (export "memory" (memory 0))' }),
      'it imports something',
    ],
    [
      'whose memory has no maximum',
      filter({ memory: '(memory (export "memory") 1)' }),
      'memory without a declared maximum, allowed 1024 pages of 64 KiB',
    ],
    [
      'whose memory may grow beyond 64 MiB',
      filter({ memory: '(memory (export "memory") 1 1025)' }),
      'memory with a maximum of 1025 pages of 64 KiB, allowed 1024',
    ],
    ['without a memory', filter({ memory: '' }), 'it must have one memory and export it'],
    ['that keeps its memory to itself', filter({ memory: '(memory 1 2)' }), 'it must have one memory and export it'],
    ['whose memory is shared', filter({ memory: '(memory (export "memory") 1 2 shared)' }), 'that is shared'],
    ['whose memory has 64-bit addresses', filter({ memory: '(memory (export "memory") i64 1 2)' }), '64-bit addresses'],
    [
      'whose table has no maximum',
      filter({ more: '(table 1 funcref)' }),
      'tables without a declared maximum, allowed 100000 entries',
    ],
    [
      'whose tables may grow beyond 100,000 entries',
      filter({ more: '(table 1 60000 funcref) (table 1 60000 funcref)' }),
      'tables with a maximum of 120000 entries, allowed 100000',
    ],
    ['without check', filter({ check: '' }), 'check is not exported, wanted (i32, i32, i32, i32) -> i32'],
    [
      'whose check takes too few',
      filter({ check: '(func (export "check") (param i32 i32) (result i32) (i32.const 0))' }),
      'check is (i32, i32) -> i32, wanted (i32, i32, i32, i32) -> i32',
    ],
    [
      'whose alloc answers 64 bits',
      filter({ alloc: '(func (export "alloc") (param i32) (result i64) (i64.const 8))' }),
      'alloc is (i32) -> i64, wanted (i32) -> i32',
    ],
    [
      'whose get_result_len is no function',
      filter({
        result:
          '(func (export "get_result_ptr") (result i32) (i32.const 0)) (global (export "get_result_len") i32 (i32.const 0))',
      }),
      'get_result_len is not exported, wanted () -> i32',
    ],
  ])('%s', async (_what, wat, expected) => {
    await expect(compiled(wat)).rejects.toThrow(expected);
  });

  test('that declares arrays, which lie outside of its memory', async () => {
    const header = [0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00];
    const arrayOfNumbers = [0x01, 0x04, 0x01, 0x5e, 0x7f, 0x00];
    await expect(compileModule(Uint8Array.from([...header, ...arrayOfNumbers]))).rejects.toThrow(
      'the WASM module is refused: it declares types other than functions',
    );
  });

  test('that is not WebAssembly, or only the beginning of it', async () => {
    const whole = await built(filter());
    const corrupt = [new Uint8Array(), Buffer.from('#!/bin/sh'), whole.slice(0, -3), whole.with(10, 0xff)];
    for (const bytes of corrupt) await expect(compileModule(bytes)).rejects.toThrow('the WASM module is corrupt');
  });
});

describe('[wasm.abi] a check', () => {
  test('allows with 0, flags with 1 and the reason the module gives', async () => {
    expect(await run(filter())).toEqual({ flagged: false });
    expect(await run(flagging('{"action":"log","message":"ünsafe"}'))).toEqual({ flagged: true, message: 'ünsafe' });
    expect(await run(flagging('{}'))).toEqual({ flagged: true });
  });

  test('is given the content as it is, and the four fields of the metadata', async () => {
    const text = JSON.stringify({ message: 'Grüße, 世界, 🙂 \u0000 '.repeat(200) });
    expect(await run(echo, text)).toEqual({ flagged: true, message: JSON.parse(text).message });
    const expected = '{"tenant_id":"acme","model":"mock","provider":"mock","phase":"input"}';
    expect((await run(expectingMetadata(expected))).flagged).toBe(true);
    expect((await run(expectingMetadata(expected.replace('acme', 'acne')))).flagged).toBe(false);
  });

  test('of nothing is a check like another', async () => {
    expect(await run(filter(), '')).toEqual({ flagged: false });
  });

  test('sets up the runtime of a module that has one', async () => {
    const ready =
      '(global $ready (mut i32) (i32.const 0)) (func (export "_initialize") (global.set $ready (i32.const 1)))';
    expect(await run(checking('(i32.eqz (global.get $ready))', { more: ready }))).toEqual({ flagged: false });
  });

  test.each<Row>([
    ['that traps', checking('(unreachable)'), 'unreachable'],
    [
      'that calls itself without end',
      checking('(call $deep) (i32.const 0)', { more: '(func $deep (call $deep))' }),
      'call stack',
    ],
    ['that answers 2', checking('(i32.const 2)'), 'check answered 2, allowed 0 and 1'],
    ['that answers -1', checking('(i32.const -1)'), 'check answered -1, allowed 0 and 1'],
    [
      'whose alloc has nothing left',
      filter({ alloc: '(func (export "alloc") (param i32) (result i32) (i32.const 0))' }),
      'alloc gave no memory for 5 bytes',
    ],
    [
      'whose alloc points beyond the memory',
      filter({ alloc: '(func (export "alloc") (param i32) (result i32) (i32.const 65534))' }),
      'alloc points outside of the memory: 5 bytes at 65534 of 65536',
    ],
    [
      'whose alloc answers a negative number',
      filter({ alloc: '(func (export "alloc") (param i32) (result i32) (i32.const -1))' }),
      'alloc points outside of the memory: 5 bytes at 4294967295 of 65536',
    ],
    ['whose result lies beyond the memory', flagging('{}', { at: 65535 }), 'the result points outside of the memory'],
    ['whose result is too long', flagging('{}', { length: 65537 }), 'the result has 65537 bytes, allowed 65536'],
    ['whose result has a negative length', flagging('{}', { length: -1 }), 'the result has 4294967295 bytes'],
    ['whose result is no JSON', flagging('{"message":"cut'), 'the result is not a JSON object'],
    ['whose result is a list', flagging('["message"]'), 'the result is not a JSON object'],
    ['whose result is empty', flagging(''), 'the result is not a JSON object'],
    ['whose message is no text', flagging('{"message":7}'), "the result's message is not a text"],
  ])('fails %s', async (_what, wat, expected) => {
    await expect(run(wat)).rejects.toThrow(expected);
  });

  test('whose result is not UTF-8 fails', async () => {
    const invalid = flagging('{"message":"?"}').replace('\\3f', '\\ff');
    await expect(run(invalid)).rejects.toThrow('the result is not a JSON object');
  });
});
