/** The key that signs capability tickets in the local run. */
import { createPrivateKey, hkdfSync, randomBytes } from 'node:crypto';
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { shortestTicketKeyCharacters } from '#core/execution/tickets/keys.ts';
import { createDurably } from './durable-file.ts';

/** Returns a state folder's key, creating it if there is none. */
export async function ticketKey(stateFolder: string): Promise<string> {
  const path = join(stateFolder, 'ticket-key');
  await mkdir(stateFolder, { recursive: true, mode: 0o700 });
  await createDurably(path, randomBytes(32).toString('base64url'));
  return ticketKeyIn(await readFile(path, 'utf8'), path);
}

/** Checks a key. @throws Error that names the file if the key's text is too short. */
export function ticketKeyIn(text: string, path: string): string {
  const key = text.trim();
  if (key.length >= shortestTicketKeyCharacters) return key;
  throw new Error(
    `${path} contains ${key.length} characters, but a ticket key needs at least ${shortestTicketKeyCharacters}: restore the file from a copy, or remove it to have a new key made.`,
  );
}

/**
 * Returns the ticket key that processes sharing a store derive from the store's signing key. The derivation cannot be
 * reversed.
 */
export function sharedTicketKey(signingKeyPem: string): string {
  const secret = createPrivateKey(signingKeyPem).export({ format: 'der', type: 'pkcs8' });
  const derived = hkdfSync('sha256', secret, '', 'agent-governance-gateway capability tickets', 32);
  return Buffer.from(derived).toString('base64url');
}
