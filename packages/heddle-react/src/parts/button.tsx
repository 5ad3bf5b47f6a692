// Buttons.

import type { ButtonHTMLAttributes, ReactElement } from 'react';

export interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  readonly kind?: 'plain' | 'primary' | 'danger' | 'quiet';
  readonly size?: 'small' | 'normal';
}

export function Button({ kind = 'plain', size = 'normal', className = '', ...rest }: ButtonProps): ReactElement {
  return <button type="button" className={`hd-button ${className}`} data-kind={kind} data-size={size} {...rest} />;
}
