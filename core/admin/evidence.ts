/** Evidence over HTTP: sessions, export, verification, reports, audit (spec §2.5, §4.3; contract §4). */

import { bundleChunks, firstEntries } from '#core/evidence/bundle.ts';
import { type LiveSession, verifyLive } from '#core/evidence/live.ts';
import type { SessionHead } from '#core/evidence/ports.ts';
import { markdownReport } from '#core/evidence/report.ts';
import { htmlReport } from '#core/evidence/report-html.ts';
import { signedManifest } from '#core/evidence/sign.ts';
import type { EntryLine } from '#core/evidence/verify.ts';
import { invalidRequest, notFound } from '#core/kernel/errors.ts';
import { assertOwn, type Call, cursorOf, limitOf, type Operation } from './operation.ts';

export const listSessions: Operation = async ({ ports, principal, query }) => {
  const page = await ports.evidence.sessions(principal.tenant, { limit: limitOf(query), ...cursorOf(query) });
  const own = page.items.filter((head) => principal.kind !== 'agent' || head.owner_key === principal.key_id);
  return { body: { sessions: own, ...(page.cursor && { cursor: page.cursor }) } };
};

/** Only a chain that holds is signed, so only such a chain is exported. */
export const exportSession: Operation = async (call) => {
  const { head, entries } = await sessionOf(call);
  const { signer, manifests } = call.ports;
  const manifest = await signedManifest(head, entries(), signer, manifests);
  return {
    contentType: 'application/json',
    headers: { 'content-disposition': `attachment; filename="${manifest.session_id.replaceAll(':', '_')}.json"` },
    body: bundleChunks(manifest, entries(), await signer.publicKey()),
  };
};

export const verifySession: Operation = async (call) => {
  const session = await sessionOf(call);
  const lines: EntryLine[] = [];
  const wantsLines = call.query.entries === 'true';
  const listed = wantsLines && { onEntry: (line: EntryLine) => void lines.push(line) };
  const { verification } = await verifyLive({ ...session, ...listed });
  return { body: { session_id: session.head.session_id, ...verification, ...(wantsLines && { entries: lines }) } };
};

export const markdownSessionReport: Operation = async (call) => {
  const session = await sessionOf(call);
  const { manifest, verification } = await verifyLive(session);
  const body = markdownReport(manifest, session.entries(), verification);
  return { contentType: 'text/markdown; charset=utf-8', body };
};

export const htmlSessionReport: Operation = async (call) => {
  const session = await sessionOf(call);
  const { manifest, verification } = await verifyLive(session);
  return {
    contentType: 'text/html; charset=utf-8',
    headers: { 'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; sandbox" },
    body: htmlReport(manifest, session.entries(), verification),
  };
};

async function sessionOf(call: Call): Promise<LiveSession> {
  const { ports, principal, params } = call;
  const id = params.id ?? '';
  const head = await ports.evidence.head(principal.tenant, id);
  if (!head) throw notFound(`Session ${id}`);
  assertOwn(call, head.owner_key, `Session ${id}`);
  return liveSession(ports, head);
}

/** The session as it stands now: entries appended later are left for the next manifest. */
const liveSession = ({ evidence, signer, manifests }: Call['ports'], head: SessionHead): LiveSession => ({
  head,
  signer,
  manifests,
  entries: () => firstEntries(evidence.entries(head.tenant, head.session_id), head.total_entries),
});

const day = 24 * 3_600_000;

export const audit: Operation = async ({ ports, principal, query }) => {
  const to = timeOf(query, 'to') ?? ports.clock.now() + 60_000;
  const from = timeOf(query, 'from') ?? to - 7 * day;
  if (from > to) throw invalidRequest('from lies after to; give the earlier time as from.');
  const { actor, kind, session, tool, decision } = query;
  const filter = { actor, kind, session, tool, decision };
  const given = Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== undefined));
  const page = await ports.evidence.audit({
    tenant: principal.tenant,
    from,
    to,
    ...given,
    limit: limitOf(query),
    ...cursorOf(query),
  });
  return { body: { entries: page.items, ...(page.cursor && { cursor: page.cursor }) } };
};

function timeOf(query: Readonly<Record<string, string>>, name: 'from' | 'to'): number | undefined {
  const text = query[name];
  if (text === undefined) return undefined;
  const time = Date.parse(text);
  if (Number.isNaN(time))
    throw invalidRequest(`${name} is ${JSON.stringify(text)}; it takes an ISO 8601 time such as 2026-01-31T08:00:00Z.`);
  return time;
}

/** One bounded piece: the sessions of one page. The cursor goes on; the CLI follows it to the end. */
export const verifyAudit: Operation = async ({ ports, principal, query }) => {
  const page = await ports.evidence.sessions(principal.tenant, { limit: limitOf(query, 50, 20), ...cursorOf(query) });
  let total_entries = 0;
  let broken_link: unknown;
  for (const head of page.items) {
    const { verification } = await verifyLive(liveSession(ports, head));
    total_entries += verification.total_entries;
    if (!verification.valid) {
      broken_link = { session_id: head.session_id, ...verification.broken_link };
      break;
    }
  }
  const more = broken_link === undefined && page.cursor !== undefined && { cursor: page.cursor };
  return {
    body: {
      valid: broken_link === undefined,
      total_entries,
      sessions: page.items.length,
      ...(broken_link !== undefined && { broken_link }),
      complete: !more,
      ...more,
    },
  };
};
