/**
 * secrets-guard: flags credentials by their structure, and by their checksum if the format has one. Text that only
 * mentions a credential or shows its format passes. The message names the kind and never the value.
 */
import { flagged } from '../shared/abi';
import { at, isTokenByte, length, readFrom, standsAt } from '../shared/bytes';
import { isGitHubFineGrained, isGitHubToken, isNpmToken } from './checksums';
import { isJsonWebToken, isPrivateKey } from './encoded';
import { isApiKey, isAwsKeyId, isSlackToken, isSlackWebhook, isStripeKey } from './structures';

export { alloc, get_result_len, get_result_ptr } from '../shared/abi';

export function check(content: i32, contentLength: i32, _metadata: i32, _metadataLength: i32): i32 {
  readFrom(content, contentLength);
  const end = length();
  for (let offset = 0; offset < end; offset++) {
    const kind = kindAt(offset);
    if (kind.length > 0) return flagged(`the text contains ${kind}`);
  }
  return 0;
}

/**
 * Returns the kind of credential at an offset. The first byte selects what to check, so that running text costs one
 * comparison per byte.
 */
function kindAt(offset: i32): string {
  const first = at(offset);
  if (first === 0x2d) return isPrivateKey(offset) ? 'a private key' : '';
  // A token begins only if it is not preceded by a letter, digit or token character.
  if (isTokenByte(at(offset - 1))) return '';
  switch (first) {
    case 0x41: // A
      if (isAwsKeyId(offset)) return 'an AWS access key id';
      return isApiKey(offset) ? 'a Google API key' : '';
    case 0x65: // e
      return isJsonWebToken(offset) ? 'a JSON Web Token' : '';
    case 0x67: // g
      if (isGitHubToken(offset)) return 'a GitHub token with a valid checksum';
      if (isGitHubFineGrained(offset)) return 'a fine-grained GitHub token';
      return isApiKey(offset) ? 'a GitLab token' : '';
    case 0x68: // h
      return isSlackWebhook(offset) ? 'the address of a Slack webhook' : '';
    case 0x6e: // n
      return isNpmToken(offset) ? 'an npm token with a valid checksum' : '';
    case 0x72: // r
      return isStripeKey(offset) ? 'a live Stripe key' : '';
    case 0x73: // s
      if (isStripeKey(offset)) return 'a live Stripe key';
      return isApiKey(offset) ? 'the API key of a model provider' : '';
    case 0x77: // w
      return standsAt(offset, 'whsec_') && isStripeKey(offset) ? 'a Stripe webhook secret' : '';
    case 0x78: // x
      return isSlackToken(offset) ? 'a Slack token' : '';
    default:
      return '';
  }
}
