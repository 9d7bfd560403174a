/** Pages that are loaded when they are opened, so that the first load stays small [console.size]. */
import type { ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { Notice, Skeleton } from './design/states.tsx';

/** @param load imports the page; called again when the page is reopened after a failure. */
export function lazy<Props extends object>(load: () => Promise<ComponentType<Props>>): ComponentType<Props> {
  let loaded: ComponentType<Props> | undefined;
  return function Lazy(props: Props) {
    const [Shown, setShown] = useState(() => loaded);
    const [failed, setFailed] = useState(false);
    useEffect(() => {
      if (loaded) return;
      load().then(
        (page) => {
          loaded = page;
          setShown(() => page);
        },
        () => setFailed(true),
      );
    }, []);
    if (Shown) return <Shown {...props} />;
    return failed ? (
      <Notice kind="bad">This page could not be loaded. Reload it when the gateway answers.</Notice>
    ) : (
      <Skeleton lines={6} />
    );
  };
}
