/** Which charsets of a request body are accepted. */
import { requireUtf8 } from '#core/kernel/charset.ts';

test.each([
  'application/json',
  'application/json; charset=utf-8',
  'application/json;charset=UTF-8',
  'application/json; charset="utf-8"',
  'application/json; Charset=utf8',
  'application/json; charset=us-ascii',
  'application/json; profile=x; charset=utf-8',
  'application/json; x-charset=latin1',
  '',
])('[error.not-found] %j is read as UTF-8', (type) => {
  expect(() => requireUtf8(type)).not.toThrow();
});

test.each([
  ['application/json; charset=latin1', 'latin1'],
  ['application/json;charset="ISO-8859-1"', 'ISO-8859-1'],
  ['application/json; charset=utf-16', 'utf-16'],
  ['application/json; charset=utf-7', 'utf-7'],
  ['application/json; profile=x ; CHARSET = windows-1252', 'windows-1252'],
  ['application/json; charset=utf-8; charset=latin1', 'latin1'],
  ['application/json; charset=', ''],
])('[error.not-found] %j is refused with the charset it names', (type, charset) => {
  expect(() => requireUtf8(type)).toThrow(
    expect.objectContaining({
      code: 'unsupported_media_type',
      message: `The charset in Content-Type is ${JSON.stringify(charset)}; allowed: utf-8, us-ascii. Send text in UTF-8.`,
    }),
  );
});
