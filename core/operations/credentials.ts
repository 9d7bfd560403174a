/** Active credentials: list and revoke. Values are not stored. */
import { revokeCredential as revoke } from '#core/execution/credentials/registry.ts';
import { isoTime } from '#core/kernel/ports.ts';
import { cursorOf, limitOf, type Operation } from './operation.ts';

export const listCredentials: Operation = async ({ ports, principal, query }) => {
  const now = isoTime(ports.clock.now());
  const page = await ports.credentials.active(principal.tenant, now, { limit: limitOf(query), ...cursorOf(query) });
  return { body: { credentials: page.items, ...(page.cursor && { cursor: page.cursor }) } };
};

export const revokeCredential: Operation = async ({ ports, principal, params }) => ({
  body: await revoke(ports, principal, params.id ?? ''),
});
