/**
 * One round of the canary [watch.alarms]: an allowed call, a call that is reviewed, approved and used, a blocked call,
 * and the resulting chain. Each is checked through the public APIs.
 */
import type { JsonObject } from '#core/kernel/json.ts';
import type { Clock } from '#core/kernel/ports.ts';

/** Calls the admin API with one of the canary's two keys. @throws if no response arrives in time */
export type AskAdmin = (
  who: 'agent' | 'approver',
  method: 'GET' | 'POST',
  path: string,
  body?: JsonObject,
) => Promise<{ readonly status: number; readonly body: JsonObject }>;

interface CanaryPorts {
  readonly ask: AskAdmin;
  readonly clock: Clock;
  /** Session name that is unique to this round. */
  readonly session: string;
}

interface CanaryRound {
  readonly outcome: 'passed' | 'failed';
  readonly round_ms: number;
  /** The failed step, with the expected and actual results. */
  readonly step?: string;
  readonly error?: string;
}

export async function canaryRound(ports: CanaryPorts): Promise<CanaryRound> {
  const began = ports.clock.now();
  let step = '';
  const took = () => ports.clock.now() - began;
  const at = <T>(name: string, work: Promise<T>): Promise<T> => {
    step = name;
    return work;
  };
  try {
    await at('allow', decideAction(ports, 'canary.read', 'read', 'allow'));
    const id = await at('review', decideAction(ports, 'canary.change', 'write', 'review'));
    await at('approve', approve(ports, id));
    await at('use', decideAction(ports, 'canary.change', 'write', 'allow', id));
    await at('block', decideAction(ports, 'canary.forbidden', 'write', 'block'));
    await at('verify', verifySession(ports));
    return { outcome: 'passed', round_ms: took() };
  } catch (thrown) {
    return { outcome: 'failed', round_ms: took(), step, error: (thrown as Error).message };
  }
}

/** Tests an action and checks the decision. @returns the envelope id */
async function decideAction(
  { ask, session }: CanaryPorts,
  tool: string,
  capability: string,
  decision: string,
  approval_ref?: string,
): Promise<string> {
  const { status, body } = await ask('agent', 'POST', '/admin/v1/test-action', {
    protocol: 'http',
    tool,
    target: 'canary',
    capability,
    actor: { agent: 'canary', session },
    ...(approval_ref !== undefined && { approval_ref }),
  });
  if (status !== 200 || body.decision !== decision)
    throw new Error(`expected 200 and ${decision}, got ${status} and ${String(body.decision)}`);
  return String(body.envelope_id);
}

async function approve({ ask }: CanaryPorts, id: string): Promise<void> {
  const { status } = await ask('approver', 'POST', `/admin/v1/approvals/${id}/approve`, { reviewer: 'canary' });
  if (status !== 200) throw new Error(`expected 200, got ${status}`);
}

async function verifySession({ ask, session }: CanaryPorts): Promise<void> {
  const { status, body } = await ask('agent', 'GET', `/admin/v1/evidence/sessions/${session}/verify`);
  if (status !== 200 || body.valid !== true)
    throw new Error(`expected 200 and a valid chain, got ${status} and valid: ${String(body.valid)}`);
}
