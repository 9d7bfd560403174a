/** Checks made after a kill: acknowledged calls are in evidence and ran once, and every chain is valid. */
import { keys } from './configuration.ts';
import type { AcknowledgedCalls } from './traffic.ts';

interface Entry {
  readonly kind: string;
  readonly envelope_id: string;
}

/** @throws Error naming the first call or entry that is lost, duplicated or broken. */
export async function verifyRound(admin: string, jobs: unknown, noted: AcknowledgedCalls): Promise<void> {
  for (const session of new Set([...noted.envelopes.keys(), ...noted.chats.keys(), ...noted.tools.keys()])) {
    const { valid } = await getJson<{ valid: boolean }>(`${admin}/admin/v1/evidence/sessions/${session}/verify`);
    if (!valid) throw new Error(`the chain of ${session} is not valid`);
    const { entries } = await getJson<{ entries: Entry[] }>(`${admin}/admin/v1/evidence/sessions/${session}/export`);
    const ids = new Set(entries.map(({ envelope_id }) => envelope_id));
    const lost = [...(noted.envelopes.get(session) ?? [])].find((id) => !ids.has(id));
    if (lost !== undefined) throw new Error(`action ${lost} of ${session} got a response but is not in evidence`);
    const approvals = new Set(entries.filter(({ kind }) => kind === 'approve').map(({ envelope_id }) => envelope_id));
    const unapproved = [...(noted.approved.get(session) ?? [])].find((id) => !approvals.has(id));
    if (unapproved !== undefined)
      throw new Error(`the approval of ${unapproved} in ${session} was acknowledged but is not in evidence`);
    for (const [kind, answered] of [
      ['chat', noted.chats.get(session) ?? 0],
      ['result', noted.tools.get(session) ?? 0],
    ] as const) {
      const stored = entries.filter((entry) => entry.kind === kind).length;
      if (stored < answered)
        throw new Error(`${answered} calls of ${session} got responses, but evidence has ${stored} ${kind} entries`);
    }
  }
  const counts = await getJson<{ all: Record<string, number> }>(`http://127.0.0.1:${jobs}/counts`);
  for (const [path, times] of Object.entries(counts.all))
    if (times !== 1) throw new Error(`${path} ran ${times} times`);
  for (const path of noted.executed)
    if (counts.all[path] !== 1) throw new Error(`${path} returned a result but did not run exactly once`);
}

async function getJson<T>(url: string): Promise<T> {
  const response = await fetch(url, { headers: { 'x-api-key': keys.admin } });
  if (!response.ok) throw new Error(`${url} answered ${response.status}: ${(await response.text()).slice(0, 300)}`);
  return (await response.json()) as T;
}
