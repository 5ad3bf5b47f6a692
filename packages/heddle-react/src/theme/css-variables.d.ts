// CSS variables in `style`: those of this package alone.

import 'react';

declare module 'react' {
  interface CSSProperties {
    readonly [variable: `--hd-${string}`]: string | number | undefined;
  }
}
