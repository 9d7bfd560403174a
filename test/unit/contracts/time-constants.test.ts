/** Leases, holders and timeouts follow from the maximum duration of functions, and change with it. */
import { abandonedAt, executionEndsAt, settlingMs } from '#core/actions/deadline.ts';
import { approvalLeaseSeconds } from '#core/approvals/approval.ts';
import { sweepMs } from '#core/approvals/sweep.ts';
import type { FunctionSpec } from '#core/contracts/function-spec.ts';
import { functions } from '#core/contracts/functions.ts';
import { lambdaLimits, longestExecutionSeconds } from '#core/contracts/host-limits.ts';
import { dueAfterHolder, holderSeconds, maxCredentialSeconds } from '#core/execution/credentials/record.ts';
import { isoTime } from '#core/kernel/ports.ts';
import { reservationLeaseSeconds } from '#core/limits/ports.ts';
import { configurationSchema } from '#features/configuration.ts';

const specs: readonly [string, FunctionSpec][] = Object.entries(functions);
const holding = specs.filter(([, { assumesBrokerRoles }]) => assumesBrokerRoles);
const at = (seconds: number) => isoTime(seconds * 1000);
const record = (life: number) => ({ issued_at: at(0), expires_at: at(life) }) as Parameters<typeof dueAfterHolder>[0];

test('[credential.list-revoke] no function that uses a credential runs longer than the time allowed for its holder', () => {
  expect(holding.map(([name]) => name).sort()).toEqual(['approval-steps', 'mcp', 'test-action']);
  for (const [name, { timeoutSeconds }] of holding)
    expect({ name, waitedFor: timeoutSeconds < holderSeconds }).toEqual({ name, waitedFor: true });
});

test('[credential.list-revoke] the sweep is due after the last execution that may hold the credential, or when the credential expires', () => {
  const lastEnd = executionEndsAt(0, undefined) / 1000;
  expect(dueAfterHolder(record(maxCredentialSeconds)) > at(lastEnd)).toBe(true);
  expect(dueAfterHolder(record(600))).toBe(at(600));
});

test('[approval.lease] a lease outlasts several missed renewals but is shorter than the longest execution', () => {
  for (const lease of [approvalLeaseSeconds, reservationLeaseSeconds]) {
    expect(lease / 3).toBeGreaterThanOrEqual(20);
    expect(lease).toBeLessThan(longestExecutionSeconds);
  }
});

test('[action.decision-before-effect] an execution ends before its host does, and is not swept until both have ended', () => {
  const hostEnds = 300_000;
  expect(executionEndsAt(0, hostEnds) + settlingMs).toBeLessThanOrEqual(hostEnds);
  expect(abandonedAt(0, hostEnds) > isoTime(hostEnds)).toBe(true);
  for (const limit of [lambdaLimits.executionMs, lambdaLimits.mcpMs, lambdaLimits.commandMs])
    expect(limit).toBeLessThan(longestExecutionSeconds * 1000);
  expect(sweepMs).toBeLessThan(functions.sweep.timeoutSeconds * 1000);
});

test.each([
  ['upstreams', { mcp: [{ name: 'a', url: 'https://a.example', timeout_ms: longestExecutionSeconds * 1000 + 1 }] }],
  [
    'upstreams',
    { http: [{ name: 'a', base_url: 'https://a.example', timeout_ms: longestExecutionSeconds * 1000 + 1 }] },
  ],
  ['executors', { git: { timeout_ms: longestExecutionSeconds * 1000 + 1 } }],
])('[action.decision-before-effect] no timeout in %s can be longer than the longest execution', (section, value) => {
  const parsed = configurationSchema.safeParse({
    version: 1,
    tenants: [{ id: 't', api_keys: ['k'] }],
    [section]: value,
  });
  expect(parsed.error?.issues.map(({ code }) => code)).toEqual(['too_big']);
});
