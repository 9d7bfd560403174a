/**
 * The cost of content filters: the input policy with 100 keywords, 20 regexes and PII detection on 10 KB of text, and
 * on each token of a stream.
 */

import { type ContentFilter, piiEntities } from '#core/contracts/config.ts';
import { compileContentPolicy } from '#core/models/content-policy/compile.ts';
import type { ContentPolicy } from '#core/models/content-policy/ports.ts';
import { corpus } from '../test/corpora/personal-data/corpus.ts';
import { scoreOf } from '../test/corpora/personal-data/score.ts';

export async function benchContentPolicy(): Promise<Record<string, number>> {
  const context = { tenant_id: 'bench', model: 'mock', provider: 'mock' };
  const clean = prose(10 * 1024);
  const policy = policyOf(filters);
  const start = performance.now();
  await policy.checkInput([slot(clean)], context);
  const first = performance.now() - start;
  const accented = clean.replaceAll('o', 'ö');
  const full = `${clean} Call 415-555-2671, mail ann@example.com, pay 4111 1111 1111 1111, confidential-7.`;
  return {
    input_ms_first_10kb: first,
    input_p50_ms_10kb: await checkMillis(policy, clean),
    input_p50_ms_10kb_accented: await checkMillis(policy, accented),
    input_p50_ms_10kb_with_matches: await checkMillis(policy, full),
    keywords_p50_ms_10kb: await checkMillis(policyOf(filters.filter(({ type }) => type === 'keyword')), clean),
    regexes_p50_ms_10kb: await checkMillis(policyOf(filters.filter(({ type }) => type === 'regex')), clean),
    pii_p50_ms_10kb: await checkMillis(policyOf(filters.filter(({ type }) => type === 'pii')), clean),
    ...streamMicros(policy, clean),
  };
}

/** Returns recall and precision for each kind of personal data in the generated corpus. */
export function benchPersonalData(): Record<string, number> {
  const samples = corpus();
  return Object.fromEntries(
    piiEntities.flatMap((kind) => {
      const { recall, precision } = scoreOf(kind, samples);
      return [[`${kind}_recall`, recall] as const, [`${kind}_precision`, precision] as const];
    }),
  );
}

const words =
  'the quick brown fox jumps over lazy dogs while a gateway looks at every token of this prompt, 2024 orders (no. 12345) at https://example.org/path?q=1 key: value foo-bar and so on.'.split(
    ' ',
  );

/** Builds prose of about `size` characters that is the same in every run. */
function prose(size: number): string {
  let text = '';
  for (let seed = 7; text.length < size; seed = (seed * 1103515245 + 12345) & 0x7fffffff)
    text += `${words[(seed >> 8) % words.length]} `;
  return text;
}

const filters: readonly ContentFilter[] = [
  {
    name: 'words',
    type: 'keyword',
    action: 'block',
    keywords: Array.from({ length: 100 }, (_, i) => `${words[i % 20]!.slice(0, 3)} forbidden phrase ${i}`),
  },
  {
    name: 'patterns',
    type: 'regex',
    action: 'block',
    patterns: [
      ...['AKIA[0-9A-Z]{16}', 'ghp_[A-Za-z0-9]{36}', '-----BEGIN [A-Z ]*PRIVATE KEY-----', '[A-F0-9]{32}'],
      ...[
        '(?i)\\b(drop|truncate)\\s+table\\b',
        '(?i)union\\s+(all\\s+)?select',
        '(?i)<script[^>]*>',
        '/etc/(passwd|shadow)',
      ],
      ...['(?i)project[ -]?(falcon|eagle|osprey)', '\\b[A-Z]{2}\\d{6}\\b', '\\bCONF-\\d{4,8}\\b', '(?i)ssn[: ]+\\d+'],
      ...['(?i)jailbreak(s|ed|ing)?', '(?i)you are now [a-z]{2,20}x', '(?i)internal use only', '(?i)developer mode'],
      ...['(?i)password\\s*[:=]\\s*\\S+', '\\beyJ[\\w-]+\\.[\\w-]+\\.[\\w-]+', '(a+)+$b', '\\p{Lu}\\p{Ll}{20}'],
    ],
  },
  {
    name: 'pii',
    type: 'pii',
    action: 'redact',
    entities: ['email', 'ssn', 'credit_card', 'phone', 'iban', 'ip', 'api_key'],
  },
];

function policyOf(configured: readonly ContentFilter[]): ContentPolicy {
  const policies = {
    governance_mode: 'governance' as const,
    break_glass: false,
    input: [...configured],
    output: [...configured],
  };
  const wasm = { check: () => Promise.reject(new Error('no WASM filter is configured')) };
  return compileContentPolicy({ policies, transform: {} }, undefined, { wasm, texts: undefined });
}

const slot = (text: string) => ({ text, set: () => {} });

async function checkMillis(policy: ContentPolicy, text: string): Promise<number> {
  const context = { tenant_id: 'bench', model: 'mock', provider: 'mock' };
  const millis: number[] = [];
  for (let round = 0; round < 300; round++) {
    const start = performance.now();
    await policy.checkInput([slot(text)], context);
    millis.push(performance.now() - start);
  }
  return middle(millis);
}

/** Measures the policy on tokens of about four characters, the size that models send. */
function streamMicros(policy: ContentPolicy, text: string): Record<string, number> {
  const tokens = text.match(/\s?\S{1,4}/g) ?? [];
  const micros: number[] = [];
  const start = performance.now();
  policy.streamOutput({ tenant_id: 'bench', model: 'mock', provider: 'mock' });
  const compiled = performance.now() - start;
  for (let round = 0; round < 20; round++) {
    const scan = policy.streamOutput({ tenant_id: 'bench', model: 'mock', provider: 'mock' });
    for (const token of tokens) {
      const start = performance.now();
      scan.push('0', token);
      micros.push((performance.now() - start) * 1000);
    }
    scan.end('0');
  }
  return {
    stream_ms_compiled: compiled,
    stream_p50_us_per_token: middle(micros),
    stream_p99_us_per_token: micros[Math.floor(micros.length * 0.99)]!,
  };
}

/** Returns the median; sorts the array in place. */
const middle = (figures: number[]): number => figures.sort((a, b) => a - b)[figures.length >> 1]!;
