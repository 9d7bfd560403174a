/** Multipart form data: common and malformed forms. */

import * as fc from 'fast-check';
import * as z from 'zod';
import { formParts } from '#core/chat/multipart.ts';
import { readCases } from '../../support/yaml.ts';

const pairs = z.array(z.tuple([z.string(), z.string()]));
const { contents, fileNames, refused } = readCases(
  'test/unit/chat/multipart.yaml',
  z.strictObject({
    contents: pairs,
    fileNames: z.array(z.tuple([z.string(), z.string(), z.string()])),
    refused: pairs,
  }),
);

const type = 'multipart/form-data; boundary=x';
const file = 'Content-Disposition: form-data; name="f"; filename="a.txt"\r\n\r\n';
const field = (name: string, text = '') => `--x\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${text}\r\n`;
const read = (body: string | Buffer, header = type, most = 64) =>
  formParts(header, Buffer.from(body as string), most).map(({ bytes, ...part }) => ({
    ...part,
    text: Buffer.from(bytes).toString(),
  }));

test.each(contents)('[passthrough.forms] a boundary string inside a file is treated as content: %s', (_, text) => {
  expect(read(`--x\r\n${file}${text}\r\n--x--\r\n`)).toEqual([{ name: 'f', filename: 'a.txt', type: '', text }]);
});

test('[passthrough.forms] accepts a form with 64 fields; rejects a larger one at the first field above the limit', () => {
  const fields = (count: number) => Array.from({ length: count }, (_, at) => field(`f${at}`)).join('');
  expect(read(`${fields(64)}--x--`)).toHaveLength(64);
  // The rest is not a form and was not read.
  expect(() => read(`${fields(66)}\r\n--x\r\nbroken`)).toThrow('more than 64 fields');
});

test('[passthrough.forms] a file that consists of repeated boundaries is rejected', () => {
  const full = (times: number) => `--x\r\n${file}${' --x'.repeat(times)}\r\n--x--`;
  expect(read(full(90_000))).toHaveLength(1);
  expect(() => read(full(110_000))).toThrow('longer one');
});

test.each([
  ['a quoted boundary', 'multipart/form-data; charset=utf-8; boundary="a b"; q=1', '--a b\r\n', '\r\n--a b--'],
  ['blanks after the boundary, a preamble and an epilogue', type, 'preamble\r\n--x \t\r\n', '\r\n--x--\r\nepilogue'],
])('[passthrough.forms] %s', (_, header, first, last) => {
  expect(read(`${first}${file}text${last}`, header)).toMatchObject([{ name: 'f', text: 'text' }]);
});

test.each(fileNames)('[passthrough.forms] a file name %s', (_, parameters, filename) => {
  const body = `--x\r\ncontent-disposition: form-data; ${parameters}\r\nContent-Type: audio/wav\r\n\r\n.\r\n--x--`;
  expect(read(body)).toEqual([{ name: 'f', filename, type: 'audio/wav', text: '.' }]);
});

test.each([...refused, ['an endless head', `--x\r\n${'a: b\r\n'.repeat(5_000)}\r\n\r\n--x--`] as const])(
  '[passthrough.forms] %s is refused',
  (_, body) => expect(() => read(body)).toThrow('not multipart form data'),
);

test('[passthrough.forms] a missing or overly long boundary is reported', () => {
  for (const header of ['multipart/form-data', `multipart/form-data; boundary=${'x'.repeat(71)}`])
    expect(() => read(`${field('a')}--x--`, header)).toThrow('names no boundary');
});

test('[passthrough.forms] form fields with arbitrary bytes are read exactly as clients wrote them', async () => {
  const part = fc.tuple(
    fc.stringMatching(/^[a-z]{1,8}$/),
    fc.uint8Array({ maxLength: 60 }),
    // Clients encode quotation marks and line endings as `%22`, `%0A` and `%0D`, so names that contain these strings
    // are decoded to them.
    fc.string({ minLength: 1, maxLength: 20 }).filter((name) => !/%(22|0[AD])/i.test(name)),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(part, { minLength: 1, maxLength: 5 }), async (parts) => {
      const form = new FormData();
      for (const [name, bytes, filename] of parts)
        form.append(name, new File([bytes as Uint8Array<ArrayBuffer>], filename));
      const made = new Response(form);
      const header = made.headers.get('content-type') ?? '';
      const found = formParts(header, new Uint8Array(await made.arrayBuffer()), 64);
      expect(found.map(({ name, bytes }) => [name, [...bytes]])).toEqual(
        parts.map(([name, bytes]) => [name, [...bytes]]),
      );
      expect(found.map(({ filename }) => filename)).toEqual(
        [...form.values()].map((value) => (value as File).name.toWellFormed()),
      );
    }),
    { numRuns: 60 },
  );
});
