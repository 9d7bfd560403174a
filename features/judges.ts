/** Judges of calls that features add, for every host. A feature with a judge also adds a line here. */
export type { AddedJudge } from '#core/actions/judge.ts';
export { taskJudge } from './manifests/judge.ts';
