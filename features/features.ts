/** The features as a list, for the hosts. */
import type { Feature } from './feature.ts';
import * as list from './index.ts';

export const features: readonly Feature[] = Object.values(list);
