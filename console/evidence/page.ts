/** The script of a session's single HTML file: verifies the bundle in the page, offline [evidence.single-file]. */
import type { Verification } from '#core/contracts/evidence.ts';
import { countText } from '#core/kernel/count-text.ts';
import { isShown } from './shown.ts';
import { verifyText } from './verify.ts';

const part = (id: string) => document.getElementById(id);
const bundle = part('bundle')?.textContent ?? '';

/** Verification without keys. The file was written with it, so the page is compared only once. */
let unkeyed: Promise<Verification> | undefined;
const withoutKeys = () => (unkeyed ??= verifyText(bundle, { trustedKey: undefined, logKeys: '' }));
let shown: Promise<boolean> | undefined;
const isWhole = () =>
  (shown ??= withoutKeys()
    .then((found) => isShown(bundle, found))
    .catch(() => false));

/** A verification with other keys may begin before the last one has ended; only the newest result is shown. */
let newest = 0;

async function verify(): Promise<void> {
  const place = part('verdict');
  if (!place) return;
  const run = ++newest;
  place.className = 'verdict';
  place.textContent = 'Verifying…';
  const typed = (id: string) => (part(id) as HTMLTextAreaElement | null)?.value.trim() ?? '';
  const [key, logKeys] = [typed('key'), typed('log-keys')];
  const verifying =
    key === '' && logKeys === ''
      ? withoutKeys()
      : verifyText(bundle, { trustedKey: key === '' ? undefined : key, logKeys });
  const say = (valid: boolean, text: string) => {
    place.className = `verdict ${valid ? 'valid' : 'invalid'}`;
    place.textContent = text;
  };
  const verification = await verifying.catch((cause: unknown) => {
    if (run === newest) say(false, `Not verified: ${cause instanceof Error ? cause.message : String(cause)}.`);
  });
  const whole = !verification?.valid || (await isWhole());
  if (!verification || run !== newest) return;
  if (!whole) return say(false, 'Not valid: this page differs from its bundle, which is valid.');
  const { valid, total_entries, broken_link, log, passkey_votes, not_checked } = verification;
  const said = valid
    ? `Valid: ${countText(total_entries, 'entry')}, verified in this browser just now.`
    : `Not valid: at entry ${broken_link?.index ?? 0}, ${broken_link?.reason ?? 'for an unknown reason'}.`;
  const passkeys = passkey_votes === undefined ? '' : ` Votes proven by a passkey: ${passkey_votes}.`;
  const open = not_checked.map((text) => ` ${text.charAt(0).toUpperCase()}${text.slice(1)}.`).join('');
  say(valid, said + (log ? logText(log) : '') + passkeys + open);
}

function logText({ origin, position, size, index, at, witnesses }: NonNullable<Verification['log']>): string {
  const seen = witnesses.map(({ witness, at }) => `${witness} saw it at ${at}`).join(', ');
  const by = seen === '' ? 'no witness whose key you gave saw it' : seen;
  return ` In the log ${origin}: entries 0 to ${index} are leaf ${position} of ${size}, logged at ${at}; ${by}.`;
}

part('again')?.addEventListener('click', () => void verify());
verify();
