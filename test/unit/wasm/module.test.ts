/** Modules accepted as filters: they follow the ABI, import nothing, and have limited memory. */

import * as z from 'zod';
import { checkContent } from '#adapters/wasm/check.ts';
import { compileModule } from '#adapters/wasm/module.ts';
import { readCases, rows, text } from '../../support/yaml.ts';
import { built, checking, echo, expectingMetadata, filter, flagging } from './wat.ts';

const compiled = async (wat: string) => compileModule(await built(wat));
const metadata = { tenant_id: 'acme', model: 'mock', provider: 'mock', phase: 'input' } as const;
const run = async (wat: string, text = 'hello') =>
  checkContent({ module: await compiled(wat), content: new TextEncoder().encode(text), metadata });

const part = z.string().exactOptional();
const cases = readCases(
  'test/unit/wasm/module.yaml',
  z.strictObject({
    /** Parts of a refused module, and the expected message. */
    refused: rows(text, z.strictObject({ memory: part, more: part, check: part, alloc: part, result: part }), text),
  }),
);

type Row = [what: string, wat: string, expected: string];

describe('[wasm.abi] refuses a module', () => {
  test.each(cases.refused)('%s', async (_what, parts, expected) => {
    await expect(compiled(filter(parts))).rejects.toThrow(expected);
  });

  test('that declares arrays, which are stored outside its linear memory', async () => {
    const header = [0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00];
    const arrayOfNumbers = [0x01, 0x04, 0x01, 0x5e, 0x7f, 0x00];
    await expect(compileModule(Uint8Array.from([...header, ...arrayOfNumbers]))).rejects.toThrow(
      'the WASM module is refused: it declares types other than functions',
    );
  });

  test('that is not WebAssembly or is corrupt', async () => {
    const whole = await built(filter());
    const corrupt = [new Uint8Array(), Buffer.from('#!/bin/sh'), whole.slice(0, -3), whole.with(10, 0xff)];
    for (const bytes of corrupt) await expect(compileModule(bytes)).rejects.toThrow('the WASM module is corrupt');
  });
});

describe('[wasm.abi] a check', () => {
  test('allows if the module returns 0, and flags with the module’s reason if it returns 1', async () => {
    expect(await run(filter())).toEqual({ flagged: false });
    expect(await run(flagging('{"action":"log","message":"ünsafe"}'))).toEqual({ flagged: true, message: 'ünsafe' });
    expect(await run(flagging('{}'))).toEqual({ flagged: true });
  });

  test('receives the unmodified content and four metadata fields', async () => {
    const text = JSON.stringify({ message: 'Grüße, 世界, 🙂 \u0000 '.repeat(200) });
    expect(await run(echo, text)).toEqual({ flagged: true, message: JSON.parse(text).message });
    const expected = '{"tenant_id":"acme","model":"mock","provider":"mock","phase":"input"}';
    expect((await run(expectingMetadata(expected))).flagged).toBe(true);
    expect((await run(expectingMetadata(expected.replace('acme', 'acne')))).flagged).toBe(false);
  });

  test('also works on empty text', async () => {
    expect(await run(filter(), '')).toEqual({ flagged: false });
  });

  test('initialises the module’s runtime if it has one', async () => {
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
    ['that answers 2', checking('(i32.const 2)'), 'check returned 2; only 0 and 1 are allowed'],
    ['that answers -1', checking('(i32.const -1)'), 'check returned -1; only 0 and 1 are allowed'],
    [
      'whose alloc has nothing left',
      filter({ alloc: '(func (export "alloc") (param i32) (result i32) (i32.const 0))' }),
      'alloc returned no memory for 5 bytes',
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
    [
      'whose result is too long',
      flagging('{}', { length: 65537 }),
      'the result has 65537 bytes; at most 65536 are allowed',
    ],
    ['whose result has a negative length', flagging('{}', { length: -1 }), 'the result has 4294967295 bytes'],
    ['whose result is no JSON', flagging('{"message":"cut'), 'the result is not a JSON object'],
    ['whose result is a list', flagging('["message"]'), 'the result is not a JSON object'],
    ['whose result is empty', flagging(''), 'the result is not a JSON object'],
    ['whose message is no text', flagging('{"message":7}'), "the result's message is not a string"],
  ])('fails %s', async (_what, wat, expected) => {
    await expect(run(wat)).rejects.toThrow(expected);
  });

  test('fails if the module’s result is not valid UTF-8', async () => {
    const invalid = flagging('{"message":"?"}').replace('\\3f', '\\ff');
    await expect(run(invalid)).rejects.toThrow('the result is not a JSON object');
  });
});
