/** The six session risk rules. Each examines one event and the stored state, and adds alerts and marks. */
import { maxCounted, type Signal } from '#core/contracts/behavior.ts';
import type { Memory } from './memory.ts';
import { riskLimits } from './state.ts';

type Rule = (memory: Memory) => void;

/**
 * Scores data sent out after a sensitive read. Sending to colleagues (a push, a message) counts half. After a read of
 * personal data, it only counts the first time, since support staff reply to customers.
 */
const exfiltration: Rule = (memory) => {
  const reads = memory.signals('secret', 'personal');
  const { decision } = memory.event;
  if (decision === 'allow' || decision === 'block') leak(memory, reads[0]);
  if (memory.ran)
    for (const { s, h } of reads) memory.mark('sensitive', s[0] + h, riskLimits.sensitive, { once: true });
};

function leak(memory: Memory, read: Signal | undefined): void {
  const { points, direct_points, further_points } = memory.settings.exfiltration;
  const strong = memory.signals('sink')[0];
  const sink = strong ?? memory.signals('push')[0];
  if (!sink) return;
  if (strong && read) {
    const full = memory.event.decision === 'allow' ? direct_points : points;
    memory.alert('exfiltration', full, [], `reads ${read.x} and sends to ${strong.x} in one call`);
    return;
  }
  const { sensitive } = memory.state;
  if (sensitive.length === 0) return;
  const again = memory.had('exfiltration');
  if (again && !strong && !sensitive.some(([, , digest]) => digest.startsWith('s'))) return;
  const full = again ? further_points : points;
  const cites = sensitive.map(([, cite]) => cite);
  memory.alert(
    'exfiltration',
    strong ? full : Math.round(full / 2),
    cites,
    `sends to ${sink.x} after a sensitive read`,
  );
}

/** Scores the acquisition of privileges. Each kind only counts once per window. */
const privilegeEscalation: Rule = (memory) => {
  const { points, light_points } = memory.settings.privilege_escalation;
  const { decision } = memory.event;
  if (decision !== 'allow' && decision !== 'block') return;
  for (const { s, x, h } of memory.signals('privilege', 'sudo')) {
    if (memory.knows('privileges', h)) continue;
    memory.mark('privileges', h, riskLimits.privileges);
    const heavy = s === 'privilege' && decision === 'allow';
    memory.alert(
      'privilege_escalation',
      heavy ? points : light_points,
      [],
      `${decision === 'block' ? 'tries' : 'takes'} ${x}`,
    );
  }
};

/** Scores access to many secrets, refused logins, or a misused credential. */
const credentialAbuse: Rule = (memory) => {
  const { points, secrets, failures } = memory.settings.credential_abuse;
  for (const { x } of memory.signals('misused')) memory.alert('credential_abuse', points, [], `misuses ${x}`);
  if (!['review', 'approved', 'outcome'].includes(memory.event.decision)) {
    for (const { h } of memory.signals('secret')) memory.mark('secrets', h, maxCounted.secrets, { once: true });
    memory.alertAt('secrets', secrets, 'credential_abuse', points, (n) => `touches ${n} different secrets`);
  }
  for (const { h } of memory.signals('login_failed')) memory.mark('failures', h, maxCounted.failures, { once: true });
  memory.alertAt('failures', failures, 'credential_abuse', points, (n) => `${n} logins were refused`);
};

/** Scores repeated deletions, or a deletion after a human refused a call. */
const destructiveSequence: Rule = (memory) => {
  const { points, deletes, minutes, after_denial_points } = memory.settings.destructive_sequence;
  const found = memory.signals('destroy');
  if (found.length > 0 && memory.event.decision === 'allow') {
    const { denial } = memory.state;
    if (denial) {
      memory.alert('destructive_sequence', after_denial_points, [denial[1]], `deletes ${found[0]!.x} after a refusal`);
      memory.state = { ...memory.state, denial: undefined };
    }
    memory.keepLatest('deletes', minutes);
    const weight = Math.min(3, Math.max(...found.map(({ n = 1 }) => n)));
    for (let i = 0; i < weight; i++) memory.mark('deletes', '', maxCounted.deletes);
    memory.alertAt(
      'deletes',
      deletes,
      'destructive_sequence',
      points,
      () => `deletes again and again within ${minutes} minutes`,
    );
  }
  if (memory.event.decision === 'denied')
    memory.state = { ...memory.state, denial: [memory.now, memory.event.cite, ''] };
};

/** Scores access to many different places within a short time. */
const fanOut: Rule = (memory) => {
  const { points, places, minutes } = memory.settings.fan_out;
  const found = memory.signals('place');
  if (found.length === 0 || memory.event.decision !== 'allow') return;
  memory.keepLatest('places', minutes);
  for (const { h } of found) memory.mark('places', h, maxCounted.places, { once: true });
  memory.alertAt('places', places, 'fan_out', points, (n) => `reaches ${n} different places within ${minutes} minutes`);
};

/** Scores refused attempts that are retried in a different way. An identical retry is a loop and does not count. */
const repeatedEscalation: Rule = (memory) => {
  const { points, attempts, probe_points } = memory.settings.repeated_escalation;
  const { event } = memory;
  for (const { x, n = 1 } of memory.signals('probed'))
    memory.alert(
      'repeated_escalation',
      probe_points * n,
      [],
      `asks what would be allowed: ${x} in a dry run or simulation`,
    );
  countHeldInRow(memory);
  const kind =
    event.decision === 'denied' ? 'approval' : event.decision === 'block' ? memory.signals('refused')[0]?.x : undefined;
  if (kind !== undefined) attempt(memory, kind, attempts, points, (count) => `${count} refused attempts at ${kind}`);
};

const held = 'review';

/** Counts different held calls in a row without an approval in between. */
function countHeldInRow(memory: Memory): void {
  const { reviews, review_points } = memory.settings.repeated_escalation;
  const { decision } = memory.event;
  if (decision === 'approved')
    memory.state = { ...memory.state, attempts: memory.state.attempts.filter(({ kind }) => kind !== held) };
  if (decision === 'review')
    attempt(memory, held, reviews, review_points, (count) => `${count} different calls wait for a person`);
}

/** Counts an attempt of the given kind, unless it is identical to the previous one. */
function attempt(memory: Memory, kind: string, many: number, points: number, reason: (count: number) => string): void {
  const { event, now } = memory;
  const others = memory.state.attempts.filter((one) => one.kind !== kind);
  const before = memory.state.attempts.find((one) => one.kind === kind);
  if (before && before.last === event.digest) return;
  const cites = [...(before?.cites ?? []), event.cite].slice(-riskLimits.cites);
  const count = (before?.count ?? 0) + 1;
  const full = count >= many;
  if (full) memory.alert('repeated_escalation', points, cites.slice(0, -1), reason(count));
  const next = { kind, at: now, count: full ? 0 : count, last: event.digest, cites: full ? [] : cites };
  memory.state = { ...memory.state, attempts: [...others, next].slice(-riskLimits.kinds) };
}

export const rules: readonly Rule[] = [
  exfiltration,
  privilegeEscalation,
  credentialAbuse,
  destructiveSequence,
  fanOut,
  repeatedEscalation,
];
