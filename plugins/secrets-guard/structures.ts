/** Keys recognised by prefix, alphabet and length. */
import {
  alphanumericLength,
  at,
  holds,
  isAlphanumeric,
  isDigit,
  isTokenByte,
  isUpper,
  standsAt,
  tokenLength,
} from '../shared/bytes';
import { isRandom } from './random';

/**
 * Matches four letters that name the kind, then 16 base32 characters. The keys in AWS's own documentation end in
 * EXAMPLE.
 */
export function isAwsKeyId(offset: i32): bool {
  if (!standsAt(offset, 'AKIA') && !standsAt(offset, 'ASIA') && !standsAt(offset, 'ABIA') && !standsAt(offset, 'ACCA'))
    return false;
  if (tokenLength(offset) !== 20) return false;
  for (let i = 4; i < 20; i++) {
    const byte = at(offset + i);
    if (!isUpper(byte) && !(byte >= 0x32 && byte <= 0x37)) return false;
  }
  return isRandom(offset + 4, 16);
}

/** Matches secret and restricted live-mode keys. Publishable keys are public, and test keys cannot move money. */
export function isStripeKey(offset: i32): bool {
  const from = standsAt(offset, 'whsec_')
    ? offset + 6
    : standsAt(offset, 'sk_live_') || standsAt(offset, 'rk_live_')
      ? offset + 8
      : -1;
  if (from < 0) return false;
  const size = alphanumericLength(from);
  return size >= 24 && size <= 250 && !isTokenByte(at(from + size)) && isRandom(from, size);
}

/** Matches `xox`, a letter, the numbers of the workspace and the app, and a random part; or an app token. */
export function isSlackToken(offset: i32): bool {
  if (standsAt(offset, 'xapp-')) return isSlackAppToken(offset + 5);
  if (!standsAt(offset, 'xox') || at(offset + 4) !== 0x2d) return false;
  const kind = at(offset + 3);
  // a, b, e, o, p, r, s
  if (
    kind !== 0x61 &&
    kind !== 0x62 &&
    kind !== 0x65 &&
    kind !== 0x6f &&
    kind !== 0x70 &&
    kind !== 0x72 &&
    kind !== 0x73
  )
    return false;
  let part = offset + 5;
  for (let parts = 0; parts < 5; parts++) {
    const size = alphanumericLength(part);
    if (at(part + size) !== 0x2d) return parts > 0 && size >= 20 && isRandom(part, size);
    if (parts === 0 && (size < 8 || !allDigits(part, size))) return false;
    part += size + 1;
  }
  return false;
}

/** Matches a digit, the app's id, a number, and 64 hex digits. */
function isSlackAppToken(offset: i32): bool {
  if (!isDigit(at(offset)) || at(offset + 1) !== 0x2d || at(offset + 2) !== 0x41) return false;
  const app = offset + 2 + alphanumericLength(offset + 2);
  if (at(app) !== 0x2d) return false;
  const number = alphanumericLength(app + 1);
  const part = app + 2 + number;
  if (!allDigits(app + 1, number) || at(part - 1) !== 0x2d) return false;
  const size = alphanumericLength(part);
  return size === 64 && isRandom(part, size);
}

/** Matches `hooks.slack.com/services/T…/B…/` and 24 characters. */
export function isSlackWebhook(offset: i32): bool {
  if (!standsAt(offset, 'hooks.slack.com/services/T')) return false;
  let part = offset + 25;
  const team = alphanumericLength(part);
  part += team;
  if (team < 9 || at(part) !== 0x2f || at(part + 1) !== 0x42) return false;
  const app = alphanumericLength(part + 1);
  part += 1 + app;
  if (app < 9 || at(part) !== 0x2f) return false;
  return alphanumericLength(part + 1) === 24 && isRandom(part + 1, 24);
}

/** Matches Google, GitLab, Anthropic and OpenAI keys. */
export function isApiKey(offset: i32): bool {
  const size = tokenLength(offset);
  if (standsAt(offset, 'AIza')) return size === 39 && isRandom(offset + 4, 35);
  if (standsAt(offset, 'glpat-')) return size >= 26 && isRandom(offset + 6, size - 6);
  if (standsAt(offset, 'sk-ant-')) return size >= 90 && isRandom(offset + 7, size - 7);
  // OpenAI's name in base64 is in the middle of each of its keys.
  if (standsAt(offset, 'sk-')) return size >= 51 && holdsExactly(offset, size) && isAlphanumeric(at(offset + 3));
  return false;
}

function holdsExactly(offset: i32, size: i32): bool {
  return holds(offset, offset + size, 't3blbkfj');
}

function allDigits(offset: i32, size: i32): bool {
  for (let i = 0; i < size; i++) if (!isDigit(at(offset + i))) return false;
  return true;
}
