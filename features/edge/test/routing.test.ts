/** Edge paths: the upstream of each, and the path there. */

import { besideTheEdge, everyRoutedPath, routedPaths, strayPaths } from '../../../test/support/edge-paths.ts';
import { edgeTarget } from '../routing.ts';

test.each(routedPaths)('[edge.listeners] %s is routed to %s as %s', (url, upstream, path) => {
  expect(edgeTarget(url)).toEqual({ upstream, url: path });
});

test('[edge.listeners] every route in the table can be reached through the edge', () => {
  expect(everyRoutedPath.length).toBeGreaterThan(100);
  expect(besideTheEdge.map(edgeTarget)).toEqual(besideTheEdge.map(() => undefined));
  expect(everyRoutedPath.map(([url]) => edgeTarget(url))).toEqual(
    everyRoutedPath.map(([, upstream, path]) => ({ upstream, url: path })),
  );
});

test.each(strayPaths)('[edge.listeners] no route matches %s', (url) => {
  expect(edgeTarget(url)).toBeUndefined();
});
