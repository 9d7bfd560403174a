/** Lists the features. Without its line here and its folder, the product works without the feature. */
export { feature as batches } from './batches/feature.ts';
export { feature as codingAgents } from './coding-agents/feature.ts';
export { feature as evaluation } from './evaluation/feature.ts';
export { feature as federation } from './federation/feature.ts';
export { feature as githubVotes } from './github-votes/feature.ts';
export { feature as graphql } from './graphql/feature.ts';
export { feature as inForce } from './in-force/feature.ts';
export { feature as manifests } from './manifests/feature.ts';
export { feature as passkeys } from './passkeys/feature.ts';
export { feature as plugins } from './plugins/feature.ts';
export { feature as policyMining } from './policy-mining/feature.ts';
export { feature as recommendations } from './recommendations/feature.ts';
export { feature as repair } from './repair/feature.ts';
export { feature as responses } from './responses/feature.ts';
export { feature as slack } from './slack/feature.ts';
export { feature as traces } from './traces/feature.ts';
export { feature as transparencyLog } from './transparency-log/feature.ts';
