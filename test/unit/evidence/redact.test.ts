import * as z from 'zod';
import { describeWithheld } from '#core/evidence/describe-withheld.ts';
import { childPath, sensitivePath } from '#core/text/secrets/json-path.ts';
import { type RedactedValue, redact, saltedDigest } from '#core/text/secrets/redact.ts';
import { secretRanges } from '#core/text/secrets/secret-formats.ts';
import { secrecyOf } from '#core/text/secrets/secret-names.ts';
import { object, readCases, rows, text } from '../../support/yaml.ts';

const texts = z.array(z.string());
const cases = readCases(
  'test/unit/evidence/redact.yaml',
  z.strictObject({
    secrets: z.array(z.tuple([z.string(), texts])),
    none: texts,
    pieces: texts,
    paths: rows(text, texts),
    withheld: rows(text, object, texts),
  }),
);

function counting() {
  let count = 0;
  return (bytes: number) => (++count).toString(16).padStart(bytes * 2, '0');
}
const run = (value: unknown, ...sensitivePaths: string[]) => redact(value, { sensitivePaths, randomHex: counting() });
const secretsIn = (text: string) => secretRanges(text).map(([start, end]) => text.slice(start, end));

test('[evidence.secrets-redacted] a secret value becomes a digest salted with 128 bits', () => {
  const { value, salts, withheld } = run({ parameters: { user: 'bob', password: 'hunter2' } });
  expect(salts).toEqual([{ id: expect.stringMatching(/^.{16}$/), salt: expect.stringMatching(/^[0-9a-f]{32}$/) }]);
  const digest = saltedDigest('hunter2', salts[0]!.salt);
  const password: RedactedValue = { redacted: 'sha256-salted', digest, salt_id: salts[0]!.id };
  expect(value).toEqual({ parameters: { user: 'bob', password } });
  expect(withheld).toEqual(['$.parameters.password']);
});

test('golden: the digest is SHA-256 over the salt bytes and the canonical value', () => {
  expect(saltedDigest({ b: 1, a: 'x' }, '000102030405060708090a0b0c0d0e0f')).toMatchInlineSnapshot(
    `"c1883f728c144858db763fbb3e268054185bce2169497875b82031e627994928"`,
  );
});

test('equal secrets get different salts, so digests do not reveal equality', () => {
  const { value, salts } = run({ password: 'x', secret: 'x' });
  const { password, secret } = value as Record<string, RedactedValue>;
  expect(new Set(salts.map(({ id }) => id)).size).toBe(2);
  expect(password!.digest).not.toBe(secret!.digest);
});

describe('configured paths', () => {
  const document = {
    parameters: { pin: 1, headers: { A: 'x', B: ['y'] }, list: [{ pin: 2 }, { pin: null }], 'odd name': 3 },
  };
  test.each(cases.paths)('%s', (path, withheld) => {
    expect(run(document, path).withheld).toEqual(withheld);
  });

  test.each([[''], ['$'], ['parameters.x'], ['$.'], ['$.a['], ['$.a[?(@.b)]'], ['$.a b'], ['$...a']])(
    '%j is rejected as a path instead of silently matching nothing',
    (path) => {
      expect(() => sensitivePath(path)).toThrow(/is not a valid sensitive path: error at character \d/);
    },
  );
});

describe('names', () => {
  test.each(
    `password dbPassword PGPASSWORD passwd DB_PWD X-API-Key xApiKey APIKey api_key OPENAI_API_KEY AWSSecretAccessKey
    client_secret clientSecret secret privateKey ssh_key authorization Proxy-Authorization password_hash new_password_2
    connectionString mypassword apikey`.split(/\s+/),
  )('%s names a secret', (name) => {
    expect(secrecyOf(name)).toBe('whole');
  });

  test.each(['token', 'access_token', 'GITHUB_TOKEN', 'tokens', 'Set-Cookie', 'credential', 'csrf-token', 'auth'])(
    'text stored under %s is a secret',
    (name) => {
      expect(secrecyOf(name)).toBe('text');
    },
  );

  test.each(
    `token_count tokenCount max_tokens total_tokens promptTokens next_page_token stop_token secretary secret_name
    passport compass author authority key public_key monkey keyboard tokenizer password_policy cookies_enabled`.split(
      /\s+/,
    ),
  )('%s does not', (name) => {
    expect(secrecyOf(name)).toBe('none');
  });

  test.each(cases.withheld)('%s', (_, value, withheld) => {
    expect(run(value).withheld).toEqual(withheld);
  });

  test('a member called __proto__ is copied as plain data', () => {
    const hostile = JSON.parse('{"__proto__":{"password":"hunter2","a":1}}');
    const { value } = run(hostile);
    expect(Object.keys(value as object)).toEqual(['__proto__']);
    expect(JSON.stringify(value)).toContain('"a":1');
    expect(JSON.stringify(value)).not.toContain('hunter2');
  });
});

// Assembled at run time, so that no scanner reports this file as a leak.
const jwt = ['eyJhbGciOiJIUzI1NiJ9', 'eyJzdWIiOiIxIn0', 'c2lnbmF0dXJl'].join('.');
const pem = ['-----BEGIN EC PRIVATE KEY-----', 'MHcCAQEE', '-----END EC PRIVATE KEY-----'].join('\n');
const tokens: [string, string][] = [
  ['AWS', `AKIA${'A1'.repeat(8)}`],
  ['AWS temporary', `ASIA${'B2'.repeat(8)}`],
  ['GitHub', `ghp_${'a1'.repeat(18)}`],
  ['GitHub OAuth', `gho_${'a1'.repeat(18)}`],
  ['GitHub app', `ghs_${'a1'.repeat(18)}`],
  ['GitHub fine-grained', `github_pat_${'a1_'.repeat(20)}`],
  ['Slack', `xoxb-${'1234567890-abc'}`],
  ['JWT', jwt],
  ['PEM', pem],
  ['sk', `sk-proj-${'a1'.repeat(15)}`],
];

describe('formats', () => {
  test.each(tokens)('%s is replaced wherever it occurs', (_, token) => {
    expect(secretsIn(token)).toEqual([token]);
    expect(secretsIn(`see ${token}, please`)).toEqual([token]);
    const { value, withheld, salts } = run({ text: `see ${token}, please`, alone: token, [token]: 1 });
    expect(JSON.stringify([value, withheld])).not.toContain(JSON.stringify(token).slice(1, -1));
    const { text, alone } = value as Record<string, unknown>;
    const digest = saltedDigest(token, salts[0]!.salt);
    expect(text).toBe(`see [redacted:${digest.slice(0, 16)}:${salts[0]!.id}], please`);
    expect(alone).toMatchObject({ redacted: 'sha256-salted' });
    expect(withheld).toEqual(['$.text', '$.alone', '$["[redacted]"]']);
  });

  test.each(cases.secrets)('%j', (text, secrets) => {
    expect(secretsIn(text)).toEqual(secrets);
  });

  test.each(cases.none)('%j holds none', (text) => {
    expect(secretsIn(text)).toEqual([]);
  });

  // Quadratic scanning of these would take minutes; the limit only has to distinguish the two.
  test.each(cases.pieces)(
    '256 kB of %j are scanned to the end, which would be too slow with backtracking at each character',
    (piece) => {
      const text = piece.repeat(256_000 / piece.length);
      const ranges = secretRanges(text);
      const disorder = ranges.findIndex(([start, end], n) => start >= end || start < (ranges[n - 1]?.[1] ?? 0));
      expect(disorder).toBe(-1);
    },
  );
});

describe('[evidence.report] withheld parts are described in a sentence', () => {
  test('completely withheld values are counted', () => {
    expect(describeWithheld([], {})).toBe('Nothing is withheld.');
    expect(describeWithheld(['$.a'], {})).toBe('One sensitive value is withheld, recorded as salted digests: $.a.');
    const many = Array.from({ length: 12 }, (_, n) => `$.p${n}`);
    expect(describeWithheld(many, {})).toMatch(/^12 sensitive values are withheld.*\$\.p9 and 2 more\.$/);
    expect(describeWithheld(many.slice(0, 10), {})).toMatch(/, \$\.p9\.$/);
    expect(childPath('$', 'a b')).toBe('$["a b"]');
  });

  test('text with a part removed is distinguished from a value removed completely', () => {
    const key = `npm_${'a1B2'.repeat(9)}`;
    const call = {
      target: '',
      parameters: { password: 'hunter22', list: ['plain', `run with ${key} now`], 'a b': key },
    };
    const { value, withheld } = redact(call, { sensitivePaths: [], randomHex: (bytes) => '0'.repeat(2 * bytes) });
    expect(describeWithheld(withheld, value as object as Record<string, unknown>)).toBe(
      '2 sensitive values are withheld, recorded as salted digests: $.parameters.password, $.parameters["a b"]. ' +
        'One text is recorded without sensitive parts, which are salted digests: $.parameters.list[1].',
    );
    const programs = redact({ target: key }, { sensitivePaths: [], randomHex: (bytes) => '0'.repeat(2 * bytes) });
    expect(describeWithheld(['$.target'], programs.value as Record<string, unknown>)).toMatch(
      /^One sensitive value is/,
    );
  });

  test('parameters that are too long to be recorded are not described as sensitive', () => {
    const entry = { parameters_sha256: '0'.repeat(64), parameters_head: '{"text":"aaa' };
    expect(describeWithheld(['$.parameters'], entry)).toBe(
      'One member is too long for the entry, which records only the beginning and the SHA-256: $.parameters.',
    );
    expect(describeWithheld(['$.parameters'], { parameters: { redacted: 'sha256-salted' } })).toMatch(/^One sensitive/);
  });
});

test.each([
  ['npm', `npm_${'a1B2'.repeat(9)}`],
  ['npm, in a line', `//registry.npmjs.org/:_authToken=npm_${'Zz09'.repeat(9)}`],
])('[evidence.secrets-redacted] a token is found at its exact length: %s', (_what, text) => {
  expect(secretsIn(text)[0]).toContain('npm_');
});
