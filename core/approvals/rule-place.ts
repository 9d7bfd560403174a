/** Finds the location of the rule that requires review, for a request's cards. */
import { placesOfVersion } from '#core/configuration/store/places.ts';
import type { ApprovalRow } from '#core/contracts/approval.ts';

type MatchedRule = Pick<ApprovalRow, 'policy_version' | 'rule_index' | 'matched_rule'>;

/** Returns `file:line`; undefined if the version was not loaded from a file [policy-version.numbered]. Never rejects. */
export async function placeOfRule(
  stores: Parameters<typeof placesOfVersion>[0],
  { policy_version, rule_index: index, matched_rule: rule }: MatchedRule,
): Promise<string | undefined> {
  return (await placesOfVersion(stores, policy_version))({ index, rule });
}
