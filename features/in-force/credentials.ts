/** Compares valid credentials and capability tickets with the entries that minted, redeemed and revoked them. */
import type { CredentialRecord, TicketRecord } from '#core/contracts/credential.ts';
import type { EvidenceEntry } from '#core/contracts/evidence.ts';
import { provenanceOf } from '#core/execution/credentials/entries.ts';
import { maxCredentialSeconds } from '#core/execution/credentials/record.ts';
import { ticketDigest } from '#core/execution/tickets/tickets.ts';
import { canonicalize } from '#core/kernel/canonical.ts';
import { isoTime } from '#core/kernel/ports.ts';
import { type AdministrativeEntries, actText, dayOf, daysBetween } from './acts.ts';
import type { AuditCall, ComparisonResult, Difference } from './compared.ts';

const maxRows = 500;
const maxEntries = 5_000;
const pageSize = 500;
/**
 * Time tolerance, because a ticket's row is written before its entry, while a revocation's entry is written before the
 * row.
 */
const underWayMs = 60_000;

export async function compareCredentials(asked: AuditCall, acts: AdministrativeEntries): Promise<ComparisonResult> {
  const now = asked.ports.clock.now();
  const { tenant } = asked.principal;
  const { entries, more } = await entriesOf(asked, now);
  const page = { limit: maxRows };
  const credentials = await asked.ports.credentials.active(tenant, isoTime(now), page);
  const tickets = await asked.ports.tickets.active(tenant, isoTime(now), page);
  const revoked = await acts.of([tenant], daysBetween(dayOf(now - maxCredentialSeconds * 1000), dayOf(now)));
  const differences: Difference[] = [];

  for (const record of credentials.items) {
    const mint = entries.get(record.id)?.mint ?? (await mintOf(asked, record));
    const expected = mint && { ...provenanceOf(record), session: record.session_id, envelope: record.envelope_id };
    if (!mint || canonicalize(expected) !== canonicalize(mintedBy(mint)))
      differences.push(mintedDifference('credential', record, mint));
    else if (entries.get(record.id)?.revoke && !(await asked.ports.credentials.get(tenant, record.id))?.revoked_at)
      differences.push(activeDifference('credential', record, entries.get(record.id)!.revoke!));
  }
  for (const ticket of tickets.items) {
    if (Date.parse(ticket.issued_at) > now - underWayMs) continue;
    const mint = entries.get(ticket.id)?.mint ?? (await mintOf(asked, ticket));
    const { ticket_sha256 } = (mint?.body.credential ?? {}) as Partial<CredentialRecord>;
    if (!mint || (ticket_sha256 !== undefined && ticket_sha256 !== ticketDigest(ticket)))
      differences.push(mintedDifference('ticket', ticket, mint));
    else {
      const end = endOf(entries.get(ticket.id)) ?? revoked.find((act) => isRevocation(act, ticket.id, now));
      const row = end && (await asked.ports.tickets.get(tenant, ticket.id));
      if (end && row?.used_at === undefined && row?.revoked_at === undefined)
        differences.push(activeDifference('ticket', ticket, end));
    }
  }
  for (const { mint, revoke } of entries.values()) {
    const { id, expires_at } = (mint?.body.credential ?? {}) as CredentialRecord;
    if (!mint || revoke || expires_at <= isoTime(now) || (await asked.ports.credentials.get(tenant, id))) continue;
    differences.push({ of: 'credential', what: id, in_force: 'the row is missing', evidence: actText(mint) });
  }
  return {
    counts: { credentials: credentials.items.length, tickets: tickets.items.length },
    differences,
    notChecked: [
      ...(more ? [`credentials: entries older than the newest ${maxEntries} of the last hour`] : []),
      ...(credentials.cursor || tickets.cursor ? [`credentials: rows before the newest ${maxRows}`] : []),
    ],
  };
}

interface Life {
  readonly mint?: EvidenceEntry;
  readonly redeem?: EvidenceEntry;
  readonly revoke?: EvidenceEntry;
}

/** Returns the entries for credentials minted within the longest possible lifetime. */
async function entriesOf(
  { ports, principal, unreadable }: AuditCall,
  now: number,
): Promise<{ readonly entries: ReadonlyMap<string, Life>; readonly more: boolean }> {
  const entries = new Map<string, Life>();
  let read = 0;
  let cursor: string | undefined;
  do {
    const page = await ports.evidence.audit({
      tenant: principal.tenant,
      from: now - maxCredentialSeconds * 1000,
      to: now,
      kind: 'credential',
      limit: pageSize,
      unreadable,
      ...(cursor !== undefined && { cursor }),
    });
    for (const entry of page.items) {
      const { action, credential } = entry.body as { action?: unknown; credential?: Partial<CredentialRecord> };
      if (typeof credential?.id !== 'string' || !lives.has(String(action))) continue;
      entries.set(credential.id, { ...entries.get(credential.id), [String(action)]: entry });
    }
    read += page.items.length;
    cursor = page.cursor;
  } while (cursor !== undefined && read < maxEntries);
  return { entries, more: cursor !== undefined };
}

const lives: ReadonlySet<string> = new Set(['mint', 'redeem', 'revoke']);

/**
 * Returns the mint entry, which is read from the session because the time-ordered view may lag. A credential for the
 * caller's own use has no separate entry: it is part of its action's result, which was written together with its row.
 */
async function mintOf(
  { ports, unreadable }: AuditCall,
  { id, tenant, session_id }: Pick<CredentialRecord, 'id' | 'tenant' | 'session_id'>,
): Promise<EvidenceEntry | undefined> {
  for await (const entry of ports.evidence.entries(tenant, session_id, 0, unreadable)) {
    const { action, credential } = entry.body as { action?: unknown; credential?: Partial<CredentialRecord> };
    const isMint = entry.kind === 'result' || (entry.kind === 'credential' && action === 'mint');
    if (isMint && credential?.id === id) return entry;
  }
  return undefined;
}

/** Returns the entry that ended a ticket. If the issuer could not revoke the credential, its ticket stays valid. */
const endOf = ({ redeem, revoke }: Life = {}): EvidenceEntry | undefined =>
  redeem ?? (revoke?.body.issuer === 'called_back' ? revoke : undefined);

const mintedBy = ({ body, session_id, envelope_id }: EvidenceEntry) => ({
  ...(body.credential as object),
  session: session_id,
  envelope: envelope_id,
});

const isRevocation = ({ body, timestamp }: EvidenceEntry, id: string, now: number): boolean =>
  body.action === 'ticket.revoke' &&
  (body.ticket as Partial<TicketRecord> | undefined)?.id === id &&
  Date.parse(timestamp) <= now - underWayMs;

const mintedDifference = (
  of: 'credential' | 'ticket',
  { id, expires_at }: Pick<CredentialRecord, 'id' | 'expires_at'>,
  mint: EvidenceEntry | undefined,
): Difference => ({
  of,
  what: id,
  in_force: `a ${of} that is good until ${expires_at}`,
  evidence: mint ? `${actText(mint)} minted another one under this id` : 'no entry says that it was minted',
});

const activeDifference = (
  of: 'credential' | 'ticket',
  { id, expires_at }: Pick<CredentialRecord, 'id' | 'expires_at'>,
  end: EvidenceEntry,
): Difference => ({
  of,
  what: id,
  in_force: `a ${of} that is good until ${expires_at}`,
  evidence: actText(end),
});
