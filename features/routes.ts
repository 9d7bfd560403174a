/** Routes of all endpoints: those of core and of the features. */
import { type Endpoint, endpointsOf } from '#core/operations/endpoint.ts';
import { endpoints } from '#core/operations/endpoints.ts';
import { features } from './features.ts';

export const routes: readonly Endpoint[] = [
  ...endpoints,
  ...features.flatMap(({ operations = {} }) => endpointsOf(operations)),
];
