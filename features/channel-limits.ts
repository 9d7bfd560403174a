/** Channels that take only some approvals, by name. A feature with such a channel also adds a line here. */
export type { ChannelLimits } from '#core/approvals/ports.ts';
export { hasPullRequest as github } from './github-votes/pull-request.ts';
