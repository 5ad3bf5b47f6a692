// Group nodes: a group of nodes on the canvas: a frame around them, or one box in their place.

import { Handle, type NodeProps, Position } from '@xyflow/react';
import type { ReactElement } from 'react';
import { Button } from '../../parts/button.tsx';
import { useEditor } from '../editor-context.ts';
import { changeGroup, type Group } from '../model/groups.ts';
import type { GroupFlowNode } from './flow-parts.ts';

export function GroupFrame({ data }: NodeProps<GroupFlowNode>): ReactElement {
  return (
    <div className="hd-editor-frame">
      <GroupHead group={data.group} />
    </div>
  );
}

export function GroupBox({ data }: NodeProps<GroupFlowNode>): ReactElement {
  const { group } = data;
  return (
    <div className="hd-node hd-editor-node" data-folded="true">
      <Handle type="target" position={Position.Top} isConnectable={false} />
      <GroupHead group={group} />
      <div className="hd-node-what">{group.nodes.length} nodes</div>
      <Handle type="source" position={Position.Bottom} isConnectable={false} />
    </div>
  );
}

function GroupHead({ group }: { readonly group: Group }): ReactElement {
  const { edit } = useEditor();
  const { id, name, isFolded } = group;
  return (
    <div className="hd-editor-group-head nodrag">
      <input
        className="hd-editor-group-name"
        aria-label={`Name of ${name}`}
        value={name}
        onChange={(event) => {
          const typed = event.target.value;
          edit('Rename group', (before) => changeGroup(before, id, { name: typed }), { key: `group:${id}` });
        }}
      />
      <Button
        size="small"
        kind="quiet"
        aria-expanded={!isFolded}
        onClick={() =>
          edit(isFolded ? 'Unfold group' : 'Fold group', (before) => changeGroup(before, id, { isFolded: !isFolded }))
        }
      >
        {isFolded ? 'Unfold' : 'Fold'}
      </Button>
    </div>
  );
}
