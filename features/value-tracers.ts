/** The value tracer for every host. A feature that traces values also adds a line here. */

export type { ValueTracers } from './feature.ts';
export { valueTracer } from './provenance/adapters/tracer.ts';
