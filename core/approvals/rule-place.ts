/** Where the rule stands that asks for a person, for every card of a request. */
import { placesOfVersion } from '#core/configuration/store/places.ts';
import type { ApprovalRow } from '#core/contracts/approval.ts';

type MatchedRule = Pick<ApprovalRow, 'policy_version' | 'rule_index' | 'matched_rule'>;

/** As `file:line`; unknown where its version came without a file [policy-version.places]. Never rejects. */
export async function placeOfRule(
  stores: Parameters<typeof placesOfVersion>[0],
  { policy_version, rule_index: index, matched_rule: rule }: MatchedRule,
): Promise<string | undefined> {
  return (await placesOfVersion(stores, policy_version))({ index, rule });
}
