/** The script of a session's single HTML file: verifies the bundle that lies in the page, with nothing but the page [evidence.single-file]. */
import { verified } from './verify.ts';

const part = (id: string) => document.getElementById(id);
const bundle = part('bundle')?.textContent ?? '';

async function verify(): Promise<void> {
  const place = part('verdict');
  if (!place) return;
  place.className = 'verdict';
  place.textContent = 'Verifying…';
  const key = (part('key') as HTMLTextAreaElement | null)?.value.trim() ?? '';
  const verification = await verified(bundle, key === '' ? undefined : key);
  const { valid, total_entries, broken_link, passkey_votes, not_checked } = verification;
  const said = valid
    ? `Valid: ${total_entries} ${total_entries === 1 ? 'entry' : 'entries'}, verified in this browser just now.`
    : `Not valid: at entry ${broken_link?.index ?? 0}, ${broken_link?.reason ?? 'for an unknown reason'}.`;
  const passkeys = passkey_votes === undefined ? '' : ` Votes proven by a passkey: ${passkey_votes}.`;
  const open = not_checked.length === 0 ? '' : ` Not checked: ${not_checked.join('; ')}.`;
  place.className = `verdict ${valid ? 'valid' : 'invalid'}`;
  place.textContent = said + passkeys + open;
}

part('again')?.addEventListener('click', () => void verify());
verify();
