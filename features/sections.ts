/**
 * Sections of the configuration that features add. A feature with settings also adds a line here. This is not a
 * member of `Feature`, because a function on AWS that checks a configuration does not load all features.
 */
export type { FeatureSections } from '#core/contracts/config/sections.ts';
export { section as edge } from './edge/section.ts';
export { section as evaluation } from './evaluation/section.ts';
export { section as githubVotes } from './github-votes/section.ts';
export { section as manifests } from './manifests/section.ts';
export { section as provenance } from './provenance/section.ts';
export { section as slack } from './slack/section.ts';
export { section as transparencyLog } from './transparency-log/section.ts';
