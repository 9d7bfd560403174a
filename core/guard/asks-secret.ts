/**
 * Detects elicitations that ask a person for a password, key, token, code or card. The check is based on the form, its
 * wording or an address.
 */

import { isLoopbackHost } from '#core/catalog/networks.ts';
import type { Json, JsonObject } from '#core/kernel/json.ts';
import { isObject } from '#core/kernel/narrow.ts';
import { foldText } from '#core/text/fold/visible.ts';
import { normalisedName, secrecyOf } from '#core/text/secrets/secret-names.ts';

const maxCharacters = 65_536;
const maxLevels = 16;

/** Names of form fields for secrets, in addition to the general names. */
const formNames =
  /(?:^|_)(?:pin|pin_code|tan|cvv|cvc|card_number|credit_card|cardnumber|iban_pin|seed_phrase|seedphrase|recovery_(?:phrase|code|key)|backup_code|mnemonic|verification_code|security_code|one_time_code|sms_code|auth_code|mfa_code|two_factor_code|2fa(?:_code)?|totp|passwort|kennwort|zugangsdaten|contrasena|clave|mot_de_passe|motdepasse|senha|parola|wachtwoord|haslo|sifre|losenord|ssn|social_security_number)$/;
/** Equivalent names in scripts without Latin letters. */
const otherNames = /пароль|парол|密码|密碼|パスワード|비밀번호|كلمة المرور|סיסמה|पासवर्ड|รหัสผ่าน/;

/** Names of secrets in text. `key` and `code` are not included on their own, since they are everyday words. */
const secret =
  '(?:pass ?words?|pass ?phrase|pass ?code|credentials?|api[ -]?keys?|(?:private|secret|access|ssh|encryption|signing|recovery|licen[cs]e) keys?|(?:access|auth|authentication|authorization|bearer|session|refresh|api|personal|security|secret|login)[ -]tokens?|tokens?|secrets?|seed phrase|recovery phrase|mnemonic|private key|(?:one[ -]time|verification|security|authenticat(?:or|ion)|sms|2fa|mfa|two[ -]factor|confirmation|\\d-digit|login)[ -]codes?|otp|pin(?: code)?|cvv|cvc|card number|credit card(?: number| details)?|social security number|cookies?|passwort|kennwort|zugangsdaten|api-schlussel|contrasena|clave|mot de passe|senha|parola|wachtwoord|haslo|sifre|losenord|пароль|密码|密碼|パスワード|비밀번호)';
/** Exclusion of secret names followed by a word that changes the meaning, such as `policy` or `manager`. */
const about =
  '(?! ?-?(?:policy|policies|manager|reset|rules?|length|strength|field|expir|hint|rotation|polic|name|id|count|limit|budget|usage|type|format|to (?:rotate|revoke|delete|expire)))';
const asking =
  /\b(?:enter|paste|type|provide|give|supply|input|submit|share|tell|fill in|key in|reply with|respond with|confirm|need|needs|require|requires|what is|what's|eingeben|geben|nennen|gib|nenne|introduzca|introduce|ingrese|ingresa|escribe|escriba|saisissez|saisir|entrez|indiquez|donnez|digite|informe|inserisci|digita|voer|podaj|girin|ange|skriv|введите|укажите|输入|入力)\b|введите|укажите|输入|輸入|入力|입력/;
/**
 * Separators between words. They have no characters in common with words, and both are bounded, so matching takes
 * linear time.
 */
const gap = "[^\\p{L}\\p{N}'’-]{1,8}";
const word = "[\\p{L}\\p{N}'’-]{1,32}";
const asked = new RegExp(`(?:${asking.source})(?:${gap}${word}){0,4}?${gap}${secret}\\b${about}`, 'gu');
const askedUnspaced =
  /(?:输入|輸入|请提供).{0,8}(?:密码|密碼|令牌|密钥)|パスワードを.{0,6}入力|비밀번호.{0,6}입력|(?:введите|укажите).{0,24}(?:пароль|токен|ключ)/;
/** Separators within one sentence. */
const wordGap = "[^\\p{L}\\p{N}'’.!?;\\n-]{1,8}";
const negated = new RegExp(
  `\\b(?:not|never|don't|dont|without|no need to|nicht|niemals|keine?[nrs]?|ne|jamais|sans|nunca|sin|nao|sem|non|senza|niet)${wordGap}(?:${word}${wordGap}){0,4}$`,
  'u',
);
/**
 * A title or description that names a secret: "Your password", "GitHub personal access token", "Password for the
 * vault".
 */
const titled = new RegExp(`\\b${secret}\\b${about}`, 'u');
/**
 * Words directly before the secret that change the meaning: "name of the", "number of output", "which". "Name and
 * password" is not among them, since it still asks for the password.
 */
const otherHead =
  /\b(?:(?:names?|ids?|identifiers?|labels?|paths?|numbers?|amount|count|length|kinds?|types?|lists?|age|alias|status|scope|expiry|owner|budget|limit)(?: \p{L}+)? (?:of|for|to)(?: \p{L}+){0,2}|which(?: of the)?|whose|max(?:imum)?|min(?:imum)?|how many)\s{1,8}$/u;

/**
 * Reports whether a form or message asks for a secret.
 * @param value a server's request, or any object in its response.
 * @throws RangeError for a form that is too deep or too long to read; the form is then withheld.
 */
export function asksSecret(value: JsonObject): boolean {
  const { requestedSchema, message, url, mode } = value;
  if (isObject(requestedSchema)) {
    const fields = formFields(requestedSchema, 0);
    if (fields.some(isSecretField)) return true;
    const writable = fields.length === 0 || fields.some(({ field }) => takesText(field));
    return writable && typeof message === 'string' && asksIn(message);
  }
  return mode === 'url' && typeof message === 'string' && typeof url === 'string' && !isPage(url);
}

interface Field {
  readonly name: string;
  readonly field: JsonObject;
}

/**
 * Returns every property of the form, however the schema composes it, including names that are only listed as required.
 */
function formFields(schema: Json, level: number): Field[] {
  if (level > maxLevels) throw new RangeError('The form is nested too deeply.');
  if (Array.isArray(schema)) return schema.flatMap((item) => formFields(item, level + 1));
  if (!isObject(schema)) return [];
  const { properties, required, enum: _, const: __, default: ___, ...others } = schema;
  const own = isObject(properties)
    ? Object.entries(properties).map(([name, field]) => ({ name, field: isObject(field) ? field : {} }))
    : [];
  const missing = Array.isArray(required)
    ? required.flatMap((name) => (typeof name === 'string' && !own.some((each) => each.name === name) ? name : []))
    : [];
  return [
    ...own,
    ...missing.map((name) => ({ name, field: {} })),
    ...own.flatMap(({ field }) => formFields(field, level + 1)),
    ...Object.values(others).flatMap((each) => formFields(each, level + 1)),
  ];
}

/** Reports whether a field accepts free text. A fixed choice or a boolean cannot carry a secret. */
const takesText = ({ type, enum: choices, oneOf, const: constant }: JsonObject): boolean =>
  type !== 'boolean' && choices === undefined && oneOf === undefined && constant === undefined;

function isSecretField({ name, field }: Field): boolean {
  if (!takesText(field)) return false;
  if (field.format === 'password' || field.writeOnly === true) return true;
  if (namesSecret(name)) return true;
  return [field.title, field.description].some((text) => typeof text === 'string' && isSecretTitle(text));
}

/** Reports whether a name refers to a secret, including names with look-alike letters and accents. */
function namesSecret(name: string): boolean {
  const normal = normalisedName(foldText(name).normalize('NFD').replace(/\p{M}/gu, ''));
  return (
    secrecyOf(name) !== 'none' ||
    secrecyOf(foldText(name)) !== 'none' ||
    formNames.test(normal) ||
    otherNames.test(foldedText(name))
  );
}

function isSecretTitle(text: string): boolean {
  const seen = withoutAccents(text);
  if (asksIn(text)) return true;
  const at = seen.search(titled);
  return (
    (at >= 0 && !otherHead.test(seen.slice(0, at)) && !negated.test(seen.slice(0, at))) ||
    otherNames.test(foldedText(text))
  );
}

function asksIn(text: string): boolean {
  const seen = withoutAccents(text);
  if (askedUnspaced.test(foldedText(text))) return true;
  for (const match of seen.matchAll(asked)) {
    const inner = match[0];
    if (!negated.test(seen.slice(0, match.index)) && !otherHead.test(inner.slice(0, inner.search(titled)))) return true;
  }
  return false;
}

/** Returns text in lower case. Does not fold scripts, because Cyrillic letters would become Latin ones. */
const foldedText = (text: string): string => text.normalize('NFKC').toLowerCase();

/** Returns text in lower case without accents and look-alikes. */
function withoutAccents(text: string): string {
  if (text.length > maxCharacters) throw new RangeError('The text of the form is too long.');
  return foldText(text).normalize('NFD').replace(/\p{M}/gu, '').normalize('NFC').toLowerCase();
}

/** Reports whether the URL is a page served over TLS or from this machine. */
function isPage(url: string): boolean {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (parsed === undefined || parsed.username !== '' || parsed.password !== '') return false;
  return parsed.protocol === 'https:' || (parsed.protocol === 'http:' && isLoopbackHost(parsed.hostname));
}
