import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { RowLink, TwoLines } from '../../ui/data-table.tsx';

interface LinkedLinesProps {
  to: '/subscribers/$id' | '/newsletters/$id' | '/outbox/$id';
  id: string;
  first: ReactNode;
  second: ReactNode;
}

/** The cell that names a row, whose first line leads to what it names. */
export const LinkedLines = ({ to, id, first, second }: LinkedLinesProps) => (
  <TwoLines
    first={
      <RowLink>
        {(className) => (
          <Link to={to} params={{ id }} className={className}>
            {first}
          </Link>
        )}
      </RowLink>
    }
    second={second}
  />
);
