/** Chat calls in session reports: their figures and findings, never their content. */
import type { Verification } from '#core/contracts/evidence.ts';
import { markdownReport } from '#core/evidence/report.ts';
import { htmlReport } from '#core/evidence/report-html.ts';
import { draft, sealedSession, textOf } from './sample.ts';

const valid: Verification = { valid: true, total_entries: 1, not_checked: [] };
const chat = {
  operation: 'chat.completions',
  decision: 'allow',
  outcome: 'completed',
  status: 200,
  model: 'fast',
  resolved_model: 'gpt-4o',
  provider: 'openai-us',
  region: 'us',
  stream: true,
  policy_version: 3,
  findings: [{ policy: 'pii-in', type: 'pii', action: 'warn', phase: 'input', count: 2, detail: 'email' }],
  usage: { input_tokens: 120, output_tokens: 30 },
  cost_microusd: 1234,
  cache: 'MISS',
  latency_ms: 800,
  first_token_ms: 90,
  attempts: [{ provider: 'openai-eu', error: '503' }],
  request_id: 'req-1',
};

async function reports(...bodies: object[]) {
  const { manifest, entries } = await sealedSession(
    bodies.map((body, n) => ({ ...draft('chat', body as never, n), envelope_id: `e-${n}` })),
  );
  return {
    markdown: await textOf(markdownReport(manifest, entries, valid)),
    html: await textOf(htmlReport(manifest, entries, valid)),
  };
}

test('a chat call is reported with its model, provider, outcome, tokens, cost and findings', async () => {
  const { markdown, html } = await reports(chat);
  for (const told of [
    '### chat.completions → gpt-4o: completed',
    '- **Model:** `gpt-4o`',
    '- **Asked for as:** `fast`',
    '- **Provider:** openai-us, region us',
    '- **Tried before:** openai-eu: 503',
    '- **Decision:** allow at 2026-01-02T03:04:00.678Z',
    '- **Policy:** version 3',
    '- **Outcome:** completed, status 200, streamed',
    '- **Findings:** pii-in: warn × 2 (email) in the input',
    '- **Tokens:** 120 in, 30 out',
    '- **Cost:** 0.001234 USD',
    '- **Took:** 800 ms, first token after 90 ms',
    '| chat.completions → gpt-4o | completed, openai-us, 120 in, 30 out |',
  ]) {
    expect(markdown).toContain(told);
  }
  for (const other of ['Recorded (chat)', 'Break-glass', 'Delivered', 'Approval used'])
    expect(markdown).not.toContain(other);
  expect(html).toContain('<dt>Tokens</dt><dd>120 in, 30 out</dd>');
});

test('the report shows break-glass use, an unknown delivery state and the approval used', async () => {
  const { markdown } = await reports({ ...chat, break_glass: true, delivered: 'unknown', approval_ref: 'e-9' });
  for (const told of ['**Break-glass:** this request passed', '**Delivered:** not known', '**Approval used:** `e-9`'])
    expect(markdown).toContain(told);
});

test('a blocked call is shown with the rule that blocked it, and a pending call as waiting until a reviewer decides', async () => {
  const { markdown } = await reports(
    { ...chat, decision: 'block', outcome: 'blocked', matched_rule: 'content:jailbreak', error: 'policy_violation' },
    { ...chat, decision: 'review', outcome: 'review' },
  );
  expect(markdown).toContain('by rule content:jailbreak');
  expect(markdown).toContain('### chat.completions → gpt-4o: blocked');
  expect(markdown).toContain(': waiting for approval');
  const { manifest, entries } = await sealedSession([
    draft('chat', { ...chat, decision: 'review', outcome: 'review' }, 1),
    draft('deny', { reviewer: 'alice' }, 2),
  ]);
  expect(await textOf(markdownReport(manifest, entries, valid))).toContain('### chat.completions → gpt-4o: denied');
});

test('unknown or invalid members of a body are not shown and cause no errors', async () => {
  const { markdown, html } = await reports(
    { ...chat, messages: [{ role: 'user', content: 'my secret' }] },
    { outcome: 'constructor', usage: 3, findings: [null, { policy: 7 }], attempts: 'x', model: { a: 1 } },
    { model: '<script>|[x](y)\u202e', outcome: '__proto__' },
  );
  expect(markdown + html).not.toMatch(/my secret|undefined|\[object|\u202e/);
  expect(html).not.toContain('<script>');
});
