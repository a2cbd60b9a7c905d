import { useEffect, useRef } from 'react';
import { texts } from '../texts/texts.ts';
import { toastReason } from '../ui/toast.tsx';

/** What is wrong stands after its field, so that the field comes first where it says so itself; a group of checkboxes doesn't. */
const problem = '[aria-invalid="true"], [id$="-error"]';
const input = 'input:not([type="hidden"])';

/** After each refusal: leads to the first field within the element of the ref that has a problem, and says that there is one. */
export function useProblemFocus<E extends HTMLElement>(refusals: number) {
  const place = useRef<E>(null);
  useEffect(() => {
    const found = refusals > 0 ? place.current?.querySelector<HTMLElement>(problem) : undefined;
    if (!found) return;
    const field = found.ariaInvalid
      ? found
      : (found.parentElement?.querySelector<HTMLElement>(input) ?? found);
    field.scrollIntoView({ block: 'center' });
    field.focus({ preventScroll: true });
    toastReason(texts.errors.byCode.validation_failed);
  }, [refusals]);
  return place;
}
