/** The sampler of answered chat calls for every host. A feature that takes samples also adds a line here. */

export { answerSampler } from './evaluation/sampler.ts';
export type { AnswerSamplers } from './feature.ts';
