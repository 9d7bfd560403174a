/** Routes of credentials, capability tickets and data planes. */
import { adminRoot, paging, type Route, route } from '../route.ts';

export const credentialRoutes: readonly Route[] = [
  route(`GET ${adminRoot}/credentials`, 'credentials', 'operator', 'listCredentials', 'Active credentials', {
    query: paging,
  }),
  route(
    `POST ${adminRoot}/credentials/{id}/revoke`,
    'credentials',
    'operator',
    'revokeCredential',
    'Revoke a credential',
  ),
  route(`GET ${adminRoot}/tickets`, 'credentials', 'operator', 'listTickets', 'Capability tickets still good', {
    query: paging,
  }),
  route(
    `POST ${adminRoot}/tickets/redeem`,
    'credentials',
    'operator',
    'redeemTicket',
    'Redeem a capability ticket, once',
  ),
  route(
    `POST ${adminRoot}/tickets/{id}/revoke`,
    'credentials',
    'operator',
    'revokeTicket',
    'Revoke a capability ticket',
  ),
  route(
    `GET ${adminRoot}/federation/config`,
    'federation',
    'plane',
    'federationConfig',
    'The configuration for a data plane, signed, without keys',
    { query: ['plane'] },
  ),
  route(
    `GET ${adminRoot}/federation/planes`,
    'federation',
    'operator',
    'federationPlanes',
    'Data planes with lag and health',
  ),
  route(
    `POST ${adminRoot}/federation/planes/{name}/accept`,
    'federation',
    'admin',
    'acceptPlane',
    'Accept the chains of a data plane as they are now',
    { humansOnly: true, platform: true },
  ),
  route(
    `POST ${adminRoot}/federation/status`,
    'federation',
    'plane',
    'federationStatus',
    'Report the state of a data plane, with its evidence heads',
  ),
  route(
    `POST ${adminRoot}/federation/metrics`,
    'federation',
    'plane',
    'federationMetrics',
    'Report the traffic of a data plane by minute',
  ),
];
