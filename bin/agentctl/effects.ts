/** The effect reader, loaded on first use. */
export { lazyEffects } from '#adapters/sql/lazy-effects.ts';
