/** The reader of effects, loaded with its first use. */
export { lazyEffects } from '#adapters/sql/lazy-effects.ts';
