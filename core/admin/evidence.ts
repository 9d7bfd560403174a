/** Evidence over HTTP: sessions, export, verification, reports, audit (spec §2.5, §4.3; contract §4). */

import type { EvidenceEntry, SessionManifest } from '#core/contracts/evidence.ts';
import { bundleChunks, firstEntries } from '#core/evidence/bundle.ts';
import type { SessionHead } from '#core/evidence/ports.ts';
import { markdownReport } from '#core/evidence/report.ts';
import { htmlReport } from '#core/evidence/report-html.ts';
import { signedManifest } from '#core/evidence/sign.ts';
import { verifyChain } from '#core/evidence/verify.ts';
import { invalidRequest, notFound } from '#core/kernel/errors.ts';
import { assertOwn, type Call, cursorOf, limitOf, type Operation } from './operation.ts';

export const listSessions: Operation = async ({ ports, principal, query }) => {
  const page = await ports.evidence.sessions(principal.tenant, { limit: limitOf(query), ...cursorOf(query) });
  const own = page.items.filter((head) => principal.kind !== 'agent' || head.owner_key === principal.key_id);
  return { body: { sessions: own, ...(page.cursor && { cursor: page.cursor }) } };
};

export const exportSession: Operation = async (call) => {
  const { manifest, entries } = await sealed(call);
  return {
    contentType: 'application/json',
    headers: { 'content-disposition': `attachment; filename="${manifest.session_id.replaceAll(':', '_')}.json"` },
    body: bundleChunks(manifest, entries(), await call.ports.signer.publicKey()),
  };
};

export const verifySession: Operation = async (call) => {
  const { head, manifest, entries } = await sealed(call);
  const lines: unknown[] = [];
  const wantsLines = call.query.entries === 'true';
  const trustedPublicKey = await call.ports.signer.publicKey();
  const verification = await verifyChain(entries(), {
    manifest,
    trustedPublicKey,
    head,
    ...(wantsLines && { onEntry: (line: unknown) => void lines.push(line) }),
  });
  return { body: { session_id: head.session_id, ...verification, ...(wantsLines && { entries: lines }) } };
};

export const markdownSessionReport: Operation = async (call) => {
  const { manifest, entries, verification } = await reported(call);
  return { contentType: 'text/markdown; charset=utf-8', body: markdownReport(manifest, entries(), verification) };
};

export const htmlSessionReport: Operation = async (call) => {
  const { manifest, entries, verification } = await reported(call);
  return {
    contentType: 'text/html; charset=utf-8',
    headers: { 'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; sandbox" },
    body: htmlReport(manifest, entries(), verification),
  };
};

async function reported(call: Call) {
  const session = await sealed(call);
  const trustedPublicKey = await call.ports.signer.publicKey();
  const { manifest, head } = session;
  return { ...session, verification: await verifyChain(session.entries(), { manifest, trustedPublicKey, head }) };
}

interface Sealed {
  readonly head: SessionHead;
  readonly manifest: SessionManifest;
  /** The entries the manifest covers; later ones are left for the next manifest. */
  readonly entries: () => AsyncIterable<EvidenceEntry>;
}

async function sealed(call: Call): Promise<Sealed> {
  const { ports, principal, params } = call;
  const id = params.id ?? '';
  const head = await ports.evidence.head(principal.tenant, id);
  if (!head) throw notFound(`Session ${id}`);
  assertOwn(call, head.owner_key, `Session ${id}`);
  return sealSession(call, head);
}

async function sealSession({ ports }: Pick<Call, 'ports'>, head: SessionHead): Promise<Sealed> {
  const entries = () => firstEntries(ports.evidence.entries(head.tenant, head.session_id), head.total_entries);
  const manifest = await signedManifest(head, entries(), ports.signer, ports.manifests);
  return { head, manifest, entries };
}

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
export const verifyAudit: Operation = async (call) => {
  const { ports, principal, query } = call;
  const page = await ports.evidence.sessions(principal.tenant, { limit: limitOf(query, 50, 20), ...cursorOf(query) });
  const trustedPublicKey = await ports.signer.publicKey();
  let total_entries = 0;
  let broken_link: unknown;
  for (const head of page.items) {
    const { manifest, entries } = await sealSession(call, head);
    const verification = await verifyChain(entries(), { manifest, trustedPublicKey, head });
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
