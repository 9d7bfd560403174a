/** Evidence over HTTP: sessions, export, verification, reports and audit. */

import { sessionRowSchema } from '#core/contracts/answers/evidence.ts';
import { entryKinds } from '#core/contracts/entry-kinds.ts';
import { decisions } from '#core/contracts/envelope.ts';
import { membersOf } from '#core/contracts/shape.ts';
import { bundleChunks, firstEntries } from '#core/evidence/bundle.ts';
import { entriesWithCopies } from '#core/evidence/entries-with-copies.ts';
import { rowPlace, type StoredEntry } from '#core/evidence/entry-text.ts';
import { signingKeysOf } from '#core/evidence/key-succession.ts';
import { type LiveSession, verifyLive, verifyLiveSteps } from '#core/evidence/live.ts';
import type { SessionHead } from '#core/evidence/ports.ts';
import { markdownReport } from '#core/evidence/report.ts';
import { withLog } from '#core/evidence/report-log.ts';
import { BrokenChain, signedManifest } from '#core/evidence/sign.ts';
import { signatureDefect } from '#core/evidence/signature.ts';
import { keysOfLog } from '#core/evidence/transparency/note.ts';
import { missingSession, type Witness, witnessOf } from '#core/evidence/witness.ts';
import { invalidRequest } from '#core/kernel/errors.ts';
import { notFound, things } from '#core/kernel/not-found.ts';
import { pickMembers } from '#core/kernel/only.ts';
import { timeOf } from '#core/observatory/usage.ts';
import { AuditSummary, nextSessions } from './audit-pieces.ts';
import { pageByPath } from './by-path.ts';
import { assertOwn, type Call, limitOf, type Operation, wordOf } from './operation.ts';

export const listSessions: Operation = async (call) => {
  const { ports, principal, query } = call;
  const limit = limitOf(query);
  const page = await pageByPath(call, 'operator', (tenant, cursor) =>
    ports.evidence.sessions(tenant, { limit, ...(cursor !== undefined && { cursor }) }),
  );
  const own = page.items.filter((head) => principal.kind !== 'agent' || head.owner_key === principal.key_id);
  return { body: { sessions: own.map(sessionAnswer), ...(page.cursor && { cursor: page.cursor }) } };
};

/** Returns a session head without the state of the risk rules and task sheets. */
const sessionAnswer = (head: SessionHead) => ({
  ...pickMembers(head, membersOf(sessionRowSchema)),
  ...(head.risk && { risk: pickMembers(head.risk, ['score', 'rule']) }),
});

/** Exports a session. Only a valid chain is signed and exported. */
export const exportSession: Operation = async (call) => {
  const { transparency } = call.ports;
  // Requested before the head is read, so that the chain is at least as long as the proof.
  const logged = await transparency?.proof(call.principal.tenant, call.params.id ?? '').catch(unproved(call));
  const { head, entries, witness } = await sessionOf(call);
  const { signer, sessionManifests, checkpoints } = call.ports;
  const manifest = await signedManifest(head, entries(), signer, sessionManifests, witness);
  const proof = witness?.checkpoint && (await checkpoints?.proof(head.tenant, head.session_id));
  // A checkpoint newer than the head would cover entries that are not in the bundle.
  const checkpoint = proof && proof.point.index < head.total_entries ? proof : undefined;
  const { keys, successions } = await signingKeysOf(signer);
  const signedBy = keys.find(({ key_id }) => key_id === manifest.signature.key_id);
  // A stored manifest is a row like any other, and is not returned unless it has a valid signature by a gateway key.
  const defect = signedBy ? signatureDefect(manifest, signedBy.public_key) : 'its key does not belong to this gateway';
  if (!signedBy || defect !== undefined)
    throw new BrokenChain(
      `The stored manifest of session ${head.session_id} was not signed by this gateway: ${defect}.`,
    );
  const publicKey = signedBy.public_key;
  return {
    contentType: 'application/json',
    headers: { 'content-disposition': `attachment; filename="${manifest.session_id.replaceAll(':', '_')}.json"` },
    body: bundleChunks(manifest, entries(), publicKey, { checkpoint, successions, log_proof: logged }),
  };
};

/** Logs that the transparency log cannot be read. The response then lacks a proof. */
const unproved =
  ({ ports }: Call) =>
  (fault: unknown): undefined => {
    const error = fault instanceof Error ? fault.message : String(fault);
    ports.telemetry.log('error', 'a session was shown without its log proof', { error });
  };

/** Returns the keys that sign evidence, the current one first, and the statements linking them. */
export const signingKeys: Operation = async ({ ports }) => ({ body: await signingKeysOf(ports.signer) });

export const verifySession: Operation = async (call) => {
  const { principal, params } = call;
  const session = await sessionOf(call, (witness) => principal.kind !== 'agent' && missingSession(witness));
  if (!('entries' in session)) return { body: { session_id: params.id, ...session } };
  if (call.query.entries === 'true') return { contentType: 'application/json', body: verificationChunks(session) };
  const { verification } = await verifyLive(session);
  return { body: { session_id: session.head.session_id, ...verification } };
};

const chunkCharacters = 64 * 1024;

/** Returns the verification of every entry as chunks of JSON text, so that the whole list is never in memory. */
async function* verificationChunks(session: LiveSession): AsyncIterable<string> {
  const steps = verifyLiveSteps(session);
  let text = `{"session_id":${JSON.stringify(session.head.session_id)},"entries":[`;
  let separator = '';
  for (;;) {
    const { value, done } = await steps.next();
    if (done) {
      yield `${text}],${JSON.stringify(value).slice(1)}`;
      return;
    }
    text += separator + JSON.stringify(value);
    separator = ',';
    if (text.length < chunkCharacters) continue;
    yield text;
    text = '';
  }
}

/** Verifies the session and compares it with the tenant's log, if there is one. */
async function verificationReport(call: Call) {
  const { ports, principal, params, snapshot } = call;
  const { transparency } = ports;
  const { tenant } = principal;
  const session_id = params.id ?? '';
  // Requested before the head is read, so that the chain is at least as long as the proof.
  const proof = await transparency?.proof(tenant, session_id).catch(unproved(call));
  const session = await sessionOf(call);
  let hashAt: string | undefined;
  const { manifest, verification } = await verifyLive(session, ({ index, hash }) => {
    if (index === proof?.leaf.index) hashAt = hash;
  });
  if (!transparency) return { session, manifest, verification, proof };
  const trust = {
    log: keysOfLog(await transparency.signer(tenant)),
    witnesses: transparency.witnesses(snapshot.configuration),
  };
  return {
    session,
    manifest,
    proof,
    verification: withLog(verification, { tenant, session_id }, proof, hashAt, trust),
  };
}

export const markdownSessionReport: Operation = async (call) => {
  const { session, manifest, verification, proof } = await verificationReport(call);
  const body = markdownReport(manifest, session.entries(), verification, proof);
  return { contentType: 'text/markdown; charset=utf-8', body };
};

export const htmlSessionReport: Operation = async (call) => {
  const { htmlReport } = await import('#core/evidence/report-html.ts');
  const { session, manifest, verification, proof } = await verificationReport(call);
  return {
    contentType: 'text/html; charset=utf-8',
    headers: { 'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; sandbox" },
    body: htmlReport(manifest, session.entries(), verification, undefined, proof),
  };
};

/** Returns the session. @param missing response for a session without a head, instead of 404. */
async function sessionOf<T extends object = never>(
  call: Call,
  missing: (witness: Witness) => T | undefined | false = () => undefined,
): Promise<LiveSession | T> {
  const { ports, principal, params } = call;
  const id = params.id ?? '';
  const { head, witness } = await witnessOf(ports, principal.tenant, id);
  if (!head) {
    const answer = missing(witness);
    if (answer) return answer;
    throw notFound(things.session, id);
  }
  assertOwn(call, head.owner_key, things.session, id);
  return liveSession(call, head, witness);
}

/** Returns the session up to its current head. Later entries belong to the next manifest. */
function liveSession(
  { ports, snapshot }: Pick<Call, 'ports' | 'snapshot'>,
  head: SessionHead,
  witness: Witness,
): LiveSession {
  const { evidence, signer, sessionManifests, archived } = ports;
  const { tenant, session_id, total_entries } = head;
  const expires = snapshot.configuration.evidence.retention_days !== undefined;
  let expired = 0;
  const entries = (): AsyncIterable<StoredEntry> => {
    expired = 0;
    // If there is no retention policy, no row may be missing.
    if (!archived || !expires) return evidence.rows(tenant, session_id);
    return entriesWithCopies({ evidence, archived }, tenant, session_id, () => void expired++);
  };
  return {
    head,
    witness,
    signer,
    sessionManifests,
    entries: () => firstEntries(entries(), total_entries),
    expired: () => expired,
  };
}

const day = 24 * 3_600_000;

export const audit: Operation = async (call) => {
  const { ports, query } = call;
  const to = query.to === undefined ? ports.clock.now() + 60_000 : Date.parse(timeOf('to', query.to));
  const from = query.from === undefined ? to - 7 * day : Date.parse(timeOf('from', query.from));
  if (from > to) throw invalidRequest('from is after to; give the earlier time as from.');
  const { actor, session, tool } = query;
  const kind = wordOf(query, 'kind', entryKinds);
  const decision = wordOf(query, 'decision', decisions);
  const filter = { actor, kind, session, tool, decision };
  const given = Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== undefined));
  const limit = limitOf(query);
  const unread: object[] = [];
  const page = await pageByPath(call, 'operator', (tenant, cursor) =>
    ports.evidence.audit({
      tenant,
      from,
      to,
      ...given,
      limit,
      ...(cursor !== undefined && { cursor }),
      unreadable: (row) => void unread.push({ tenant, ...rowPlace(row) }),
    }),
  );
  const unreadable = unread.length > 0 ? { unreadable: unread } : {};
  return { body: { entries: page.items, ...unreadable, ...(page.cursor && { cursor: page.cursor }) } };
};

/** Verifies one bounded piece of the tenant's sessions. The CLI follows the cursor to the end. */
export const verifyAudit: Operation = async (call) => {
  const { ports, principal, query } = call;
  const piece = await nextSessions(ports, principal.tenant, limitOf(query, 50, 20), query.cursor);
  const summary = new AuditSummary();
  for (const id of piece.sessions) {
    const { head, witness } = await witnessOf(ports, principal.tenant, id);
    const { verification } = head
      ? await verifyLive(liveSession(call, head, witness))
      : { verification: missingSession(witness) };
    if (verification) summary.add(id, verification);
    if (summary.broken) break;
  }
  return { body: summary.body(piece.cursor) };
};
