/** The side of the control plane: configuration for data planes, their status and metrics. */
import * as operations from '#core/admin/federation.ts';
import { httpEndpoint } from '../middleware/http-endpoint.ts';
import type { GatewayPorts } from '../ports.ts';

export const createHandler = (ports: GatewayPorts) => {
  const { federationConfig, federationPlanes, federationStatus, federationMetrics } = operations;
  return httpEndpoint('federation', ports, { federationConfig, federationPlanes, federationStatus, federationMetrics });
};
