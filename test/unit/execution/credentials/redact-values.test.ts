import type { IssuedCredential } from '#core/execution/credentials/ports.ts';
import { secretsOf, withoutSecrets } from '#core/execution/credentials/redact-values.ts';

const secret = 's3cr3t/+value=="x"';
const clean = (value: unknown, secrets = [secret]) => withoutSecrets(value, secrets);
const base64 = (text: string) => Buffer.from(text).toString('base64');

describe('[credential.never-shown] an execution result', () => {
  test('is otherwise unchanged', () => {
    const value = { a: [1, null, true, 'text'], b: { c: undefined } };
    expect(clean(value)).toEqual(value);
    expect(clean(value, [])).toBe(value);
    expect(clean('abc', [''])).toBe('abc');
  });

  test('secrets are also removed from member names, bytes, errors and circular references', () => {
    expect(JSON.stringify(clean({ [secret]: 1 }))).not.toContain('s3cr3t');
    expect(clean(Buffer.from(`x ${secret}`))).toBe('x [credential withheld]');
    expect(clean(new TypeError(`bad ${secret}`))).toEqual({ name: 'TypeError', message: 'bad [credential withheld]' });
    const circle: Record<string, unknown> = { secret };
    circle.self = circle;
    const copy = clean(circle) as typeof circle;
    expect(copy.self).toBe(copy);
    expect(copy.secret).toBe('[credential withheld]');
  });

  test('a member called __proto__ stays plain data', () => {
    const value = JSON.parse('{"__proto__":{"x":1}}') as object;
    expect(JSON.stringify(clean(value))).toBe('{"__proto__":{"x":1}}');
  });

  test('regular expression characters in a secret are matched literally', () => {
    expect(clean('a.c abc', ['a.c'])).toBe('[credential withheld] abc');
  });

  test('a short secret is withheld only in plain form, so text that resembles its encoding is not removed', () => {
    expect(clean('pin 12', ['12'])).toBe('pin [credential withheld]');
    expect(clean(base64('12'), ['12'])).toBe(base64('12'));
  });

  test('each value in a JSON credential is treated as a secret', () => {
    const issued = {
      secret: JSON.stringify({ username: 'u-1', password: 'p-1', nested: ['n-1'] }),
    } as IssuedCredential;
    expect(secretsOf(issued)).toEqual([issued.secret, 'u-1', 'p-1', 'n-1']);
    expect(secretsOf({ ...issued, secret: '{no json' })).toEqual(['{no json']);
  });
});
