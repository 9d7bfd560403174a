/** The checks of `restore check`: each names the step that repairs its failures [cli.status]. */
import type { Api } from '#agentctl/client.ts';
import type { Cli } from '#agentctl/command.ts';
import { type Check, otherRelease, readOperation } from '#agentctl/doctor/check.ts';
import { type CheckResult, fail, ok, unknown, warn } from '#agentctl/doctor/finding.ts';
import { pieces } from '#agentctl/pieces.ts';
import { count, type Fields, fields, list, text } from '#core/kernel/json-fields.ts';

const putBack = 'agentctl restore entries: brings entries and log back from the archive';

/** @param published published checkpoints of the log, as signed notes. */
export async function restoreChecks(cli: Cli, published: readonly string[]): Promise<readonly Check[]> {
  const { checks } = await import('#agentctl/doctor/checks.ts');
  return [
    ...checks.filter(({ needed }) => needed),
    { name: 'chains', run: () => chains(cli), absent: otherRelease },
    { name: 'archive', run: () => archive(cli), absent: otherRelease },
    {
      name: 'log',
      run: (api) => log(api, published),
      absent: 'nothing, if the first deployment had no transparency log; else restore the table observations',
    },
    { name: 'approvals', run: approvals, absent: otherRelease },
    { name: 'in force', run: inForce, absent: otherRelease },
  ];
}

/** Verifies every chain of the tenant. Each response stops at the first broken link. */
async function chains(cli: Cli): Promise<CheckResult[]> {
  const found: CheckResult[] = [];
  let entries = 0;
  for await (const { total_entries, broken_link, not_checked, unread } of pieces(cli, 'verifyAudit', {})) {
    entries += count(total_entries);
    if (broken_link !== undefined) found.push(brokenSession(fields(broken_link)));
    const open = Array.isArray(not_checked) ? not_checked.map(String) : [];
    if (Array.isArray(unread) && unread.length > 0) found.push(readFailed(open.join('; ')));
    else found.push(...open.map(checkSkipped));
  }
  return found.length > 0 ? found : [ok(`${entries} entries agree with their checkpoints and copies`)];
}

const brokenSession = ({ session_id, index, reason, missing }: Fields): CheckResult =>
  fail(
    `session ${session_id}, entry ${index}: ${reason}`,
    missing !== undefined
      ? `${putBack}; then repeat this check, which stops at the first broken chain`
      : 'see "a chain does not verify" in the runbook; then repeat this check, which stops at the first broken chain',
  );

const readFailed = (said: string): CheckResult =>
  fail(said, 'copy the archive bucket, and deploy with formerSigningKeys: a key or an object is missing');

const checkSkipped = (said: string): CheckResult =>
  warn(said, 'repeat the check in a minute; if the result stays the same, run agentctl archive repair');

async function archive(cli: Cli): Promise<CheckResult[]> {
  const found: CheckResult[] = [];
  let entries = 0;
  for await (const { tenant, total_entries, incomplete_sessions } of pieces(cli, 'checkArchive', {})) {
    entries += count(total_entries);
    for (const { session_id, missing_entries, lost_entries, contradiction } of list(incomplete_sessions))
      found.push(
        fail(
          `tenant ${tenant}, session ${session_id}: ${text(contradiction) ?? `${missing_entries} entries are not in the archive`}`,
          lost_entries !== undefined
            ? putBack
            : 'copy the archive bucket of the first deployment; agentctl archive repair archives the entries that it did not contain',
        ),
      );
  }
  return found.length > 0 ? found : [ok(`${entries} entries of all tenants are in the archive`)];
}

/**
 * Checks that the log is signed with a known key, that its tiles can be read, and that it continues the published
 * checkpoints.
 */
async function log(api: Api, published: readonly string[]): Promise<CheckResult[]> {
  const { openCheckpoint } = await import('#core/evidence/transparency/checkpoint-note.ts');
  const { continued } = await import('#core/evidence/transparency/continued.ts');
  const { logKey } = await import('#core/evidence/transparency/witness-keys.ts');
  const { log_key, former_log_keys, checkpoint, cosigned } = await readOperation(api, 'logCheckpoint');
  const keys = [log_key, ...(Array.isArray(former_log_keys) ? former_log_keys : [])].map((key) => logKey(String(key)));
  const note = String(checkpoint);
  const head = openCheckpoint(note, keys);
  if (typeof head === 'string')
    return [fail(head, 'deploy with formerLogKeys: the LogKey ARNs of the first deployment')];
  const notes = [...published, ...list(cosigned).map((each) => String(each.note))];
  const found: CheckResult[] = [];
  for (const each of notes) {
    const seen = openCheckpoint(each, keys);
    if (typeof seen === 'string') {
      found.push(
        fail(`a published checkpoint cannot be opened: ${seen}`, 'give checkpoints of this log, and its former keys'),
      );
      continue;
    }
    const proof = seen.size < head.size ? await consistency(api, Math.max(1, seen.size), head.size) : [];
    const after = continued(note, keys, seen, proof);
    if (typeof after === 'string')
      found.push(
        fail(
          `${after}`,
          `${putBack}, before anything else is written; a witness does not accept a log that was rolled back`,
        ),
      );
  }
  if (found.length > 0) return found;
  // Reads tiles, which are stored in the archive bucket.
  await consistency(api, 1, head.size);
  return notes.length > 0
    ? [ok(`the log has ${head.size} leaves and continues ${notes.length} published checkpoints`)]
    : [unknown(`the log has ${head.size} leaves; it was not compared with a published checkpoint`, 'give --published')];
}

async function consistency(api: Api, from: number, to: number): Promise<Buffer[]> {
  const { proof } = await readOperation(api, 'logConsistency', { from: String(from), to: String(to) });
  return (Array.isArray(proof) ? proof : []).map((hash) => Buffer.from(String(hash), 'base64'));
}

/** Compares pending and approved rows with the votes in evidence, which take precedence. */
async function approvals(api: Api): Promise<CheckResult[]> {
  const pending = await all(api, 'listApprovals', 'pending', {});
  const approved = await all(api, 'approvalHistory', 'approvals', { status: 'approved' });
  const rows = [...pending, ...approved];
  const [since] = rows.map(({ queued_at }) => String(queued_at)).sort();
  if (since === undefined) return [ok('no approval is pending or unused')];
  const votes = new Map<unknown, Fields>();
  for (const kind of ['approve', 'deny'])
    for (const entry of await all(api, 'audit', 'entries', { kind, from: since }))
      votes.set(fields(entry.body).approval_id, entry);
  const found: CheckResult[] = [];
  for (const { envelope_id } of pending) {
    const vote = votes.get(envelope_id);
    if (vote)
      found.push(
        fail(
          `approval ${envelope_id} is pending, and evidence has the vote ${vote.kind} of ${vote.timestamp}`,
          `agentctl deny ${envelope_id}: it was decided, and perhaps used, after the time that the tables were restored to`,
        ),
      );
  }
  for (const { envelope_id } of approved)
    if (votes.get(envelope_id)?.kind !== 'approve')
      found.push(
        fail(
          `approval ${envelope_id} is approved, and evidence has no such vote`,
          `${putBack}; without the vote the approval never counts`,
        ),
      );
  if (found.length > 0) return found;
  return [ok(`${pending.length} approvals can be voted on, ${approved.length} were approved and are unused`)];
}

async function all(
  api: Api,
  operation: string,
  member: string,
  query: Readonly<Record<string, string>>,
): Promise<readonly Fields[]> {
  const found: Fields[] = [];
  for (let cursor: string | undefined; ; ) {
    const page = await readOperation(api, operation, {
      ...query,
      limit: '100',
      ...(cursor !== undefined && { cursor }),
    });
    found.push(...list(page[member]));
    cursor = text(page.cursor);
    if (cursor === undefined) return found;
  }
}

/** Steps to take if active state contradicts evidence, by kind. Budgets and risk are lower bounds. */
const inForceSteps: Readonly<Record<string, string>> = {
  budget: 'lower the limit of this account by the difference until its period ends',
  configuration: 'agentctl config put: store the configuration that was last in force',
  keys: 'agentctl config put: store the configuration that was last in force, without the keys that were taken back',
  credential: 'revoke it at its issuer: its row is lost',
  ticket: 'revoke it at its issuer: its row is lost',
};

async function inForce(api: Api): Promise<CheckResult[]> {
  const { agrees, differences, not_checked } = await readOperation(api, 'compareInForce');
  if (agrees === true) {
    const open = Array.isArray(not_checked) ? not_checked.map(String) : [];
    return [
      ok(
        `configuration, keys, budgets, risk and credentials agree with evidence${open.length > 0 ? `; not compared: ${open.join('; ')}` : ''}`,
      ),
    ];
  }
  return list(differences).map(({ of, what, in_force, evidence }) =>
    fail(
      `${of}: ${what}: in force: ${in_force}; evidence: ${evidence}`,
      inForceSteps[String(of)] ?? 'set it to the value in evidence',
    ),
  );
}
