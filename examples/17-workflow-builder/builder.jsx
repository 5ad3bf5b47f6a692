// A workflow builder: React Flow draws the graph; Heddle checks, stores and runs it. What is drawn is what is stored:
// `register` takes what React Flow saves, and `definition` gives it back.

import {
  addEdge,
  Background,
  Controls,
  ReactFlow,
  ReactFlowProvider,
  useEdgesState,
  useNodesState,
  useReactFlow,
} from '@xyflow/react';
import { connect } from 'heddle/client';
import { useEffect, useMemo, useState } from 'react';
import { createRoot } from 'react-dom/client';
import { Bar, Palette, Question, RunForm, Settings, Shown, Step, Way } from './parts.jsx';
import '@xyflow/react/dist/style.css';
import './builder.css';

const heddle = connect({ url: `${location.origin}/workflows` });
const workflow = new URLSearchParams(location.search).get('workflow') ?? 'price-orders';

/** The graph as it is stored: what React Flow has, without what is only of this moment. */
function toGraph(nodes, edges, input) {
  return {
    id: workflow,
    nodes: nodes.map(({ measured, selected, dragging, ...node }) => node),
    edges: edges.map(({ selected, ...edge }) => edge),
    meta: { input },
  };
}

/** Problems by the id of their node or edge: what points to `/nodes/2/data/to` is about the third node. */
function groupProblems(problems, graph) {
  return Object.groupBy(problems, ({ pointer }) => {
    const [, list, index] = pointer.split('/');
    return graph[list]?.[index]?.id ?? 'graph';
  });
}

/** Everything that the page shows of a run. */
async function look(run) {
  const [summary, nodes, edges, prompts] = await Promise.all([run.summary(), run.nodes(), run.edges(), run.prompts()]);
  const visits = Object.fromEntries(nodes.map((node) => [node.nodeId, node]));
  const taken = new Set(edges.filter((edge) => edge.taken > 0).map((edge) => edge.edgeId));
  return { ...summary, visits, taken, prompts };
}

const nothing = { visits: {}, taken: new Set(), prompts: [] };

/** Looks at a run until it has ended: once for all events that have come meanwhile. */
async function follow(run, signal, show) {
  let isNews = false;
  let looking = null;
  const catchUp = async () => {
    for (; isNews && !signal.aborted; show(await look(run))) isNews = false;
    looking = null;
  };
  const events = run.events({ signal });
  while (!(await events.next()).done) {
    isNews = true;
    looking ??= catchUp();
  }
  await looking;
}

function Builder({ types }) {
  const [nodes, setNodes, onNodesChange] = useNodesState([]);
  const [edges, setEdges, onEdgesChange] = useEdgesState([]);
  const [input, setInput] = useState({});
  const [versions, setVersions] = useState([]);
  const [opened, setOpened] = useState({ version: null, text: '' });
  const [problems, setProblems] = useState({});
  const [run, setRun] = useState(null);
  const [seen, setSeen] = useState(nothing);
  const [notice, setNotice] = useState('');
  const flow = useReactFlow();

  const text = JSON.stringify(toGraph(nodes, edges, input));
  const isChanged = text !== opened.text && nodes.length > 0;
  const attempt = (work) => work().catch((error) => setNotice(error.problems?.[0]?.message ?? error.message));
  /** What a user asks for. */
  const act = (work) => {
    setNotice('');
    return attempt(work);
  };

  async function open(wanted) {
    const stored = await heddle.definitions({ id: workflow });
    setVersions(stored);
    if (stored.length === 0) return;
    const { definition, version } = await heddle.definition(workflow, wanted);
    const graph = toGraph(definition.nodes, definition.edges, definition.meta?.input ?? {});
    setNodes(graph.nodes);
    setEdges(graph.edges);
    setInput(graph.meta.input);
    setOpened({ version, text: JSON.stringify(graph) });
    await flow.setViewport(definition.viewport);
    const [newest] = await heddle.runs({ workflow, limit: 1 });
    setRun(newest?.version === version ? heddle.run(newest.runId) : null);
  }

  async function save() {
    const graph = JSON.parse(text);
    const description = `Saved ${new Date().toISOString()}`; // makes each save a version: the latest is what was saved last
    const saved = await heddle.register({ ...graph, description, viewport: flow.getViewport() });
    setProblems(groupProblems(saved.problems, graph));
    if (saved.version === null) throw new Error('Not saved: the graph has errors.');
    setOpened({ version: saved.version, text });
    setVersions(await heddle.definitions({ id: workflow }));
    setNotice(`Saved as version ${saved.version}.`);
    return saved.version;
  }

  async function start() {
    const version = isChanged ? await save() : opened.version;
    setRun(await heddle.start(workflow, input, { version }));
  }

  useEffect(() => void attempt(() => open()), []);

  useEffect(() => {
    const graph = JSON.parse(text);
    if (graph.nodes.length === 0) return;
    let isCurrent = true;
    const check = async () => {
      const found = await heddle.validate(graph);
      if (isCurrent) setProblems(groupProblems(found, graph));
    };
    const timer = setTimeout(() => attempt(check), 150);
    return () => {
      isCurrent = false;
      clearTimeout(timer);
    };
  }, [text]);

  useEffect(() => {
    setSeen(nothing);
    if (run === null) return;
    const left = new AbortController();
    attempt(() => follow(run, left.signal, (view) => left.signal.aborted || setSeen(view)));
    return () => left.abort();
  }, [run]);

  /** Adds a node where it was dropped, or below the last one; inside of the container that is there, or selected. */
  function add(type, dropped) {
    const { version, isContainer, inputs = [] } = types[type];
    const point = dropped && flow.screenToFlowPosition(dropped);
    const here = point ? flow.getIntersectingNodes({ ...point, width: 1, height: 1 }) : nodes.filter(isSelected);
    const parent = here.findLast((node) => types[node.type]?.isContainer);
    const origin = parent ? flow.getInternalNode(parent.id).internals.positionAbsolute : { x: 0, y: 0 };
    const last = nodes.findLast((node) => node.parentId === parent?.id);
    const below = last
      ? { x: last.position.x, y: last.position.y + (last.measured?.height ?? 80) + 60 }
      : { x: 30, y: 62 };
    const name = type.split('.').at(-1);
    const added = {
      id: [name, ...nodes.map((_, index) => `${name}${index + 2}`)].find((id) => !flow.getNode(id)),
      type,
      typeVersion: version,
      position: point ? { x: point.x - origin.x, y: point.y - origin.y } : below,
      data: Object.fromEntries(inputs.filter((one) => 'value' in one).map((one) => [one.name, one.value])),
      selected: true,
      ...(parent && { parentId: parent.id, extent: 'parent' }),
      ...(isContainer && { style: { width: 280, height: 190 } }),
    };
    setNodes([...nodes.map((node) => ({ ...node, selected: false })), added]);
  }

  const change = (id, data) => setNodes((before) => before.map((node) => (node.id === id ? { ...node, data } : node)));
  const selected = nodes.find(isSelected);
  const nodeTypes = useMemo(() => Object.fromEntries(Object.keys(types).map((type) => [type, Step])), [types]);
  const coloured = nodes.map((node) => ({ ...node, className: seen.visits[node.id]?.status }));
  const colouredEdges = edges.map((edge) => ({
    ...edge,
    className: problems[edge.id] ? 'error' : seen.taken.has(edge.id) ? 'taken' : undefined,
    animated: seen.taken.has(edge.id) && seen.visits[edge.target]?.status === 'running',
  }));

  return (
    <Shown value={{ types, problems, visits: seen.visits }}>
      <Bar
        title={workflow}
        versions={versions}
        version={opened.version}
        status={seen.status}
        notice={problems.graph?.[0].message ?? notice}
        onOpen={(version) => act(() => open(version))}
        onSave={isChanged && (() => act(save))}
        onRun={nodes.length > 0 && (() => act(start))}
      />
      <Palette types={types} onAdd={add} />
      <main
        onDragOver={(event) => event.preventDefault()}
        onDrop={(event) => add(event.dataTransfer.getData('text/plain'), { x: event.clientX, y: event.clientY })}
      >
        <ReactFlow
          nodes={coloured}
          edges={colouredEdges}
          nodeTypes={nodeTypes}
          edgeTypes={edgeTypes}
          onNodesChange={onNodesChange}
          onEdgesChange={onEdgesChange}
          onConnect={(connection) => setEdges((before) => addEdge(connection, before))}
        >
          <Background />
          <Controls showInteractive={false} />
        </ReactFlow>
        {nodes.length === 0 && <p>Drag a step from the left, or click one.</p>}
      </main>
      <aside>
        {seen.prompts.map((prompt) => (
          <Question
            key={prompt.correlationId}
            prompt={prompt}
            onAnswer={(answer) => act(() => run.reply(prompt.correlationId, answer))}
          />
        ))}
        {selected ? (
          <Settings
            key={`${selected.id}@${opened.version}`}
            node={selected}
            onChange={(data) => change(selected.id, data)}
          />
        ) : (
          <RunForm key={opened.version} input={input} onInput={setInput} seen={seen} />
        )}
      </aside>
    </Shown>
  );
}

const edgeTypes = { default: Way };

const isSelected = (node) => node.selected;

const types = Object.fromEntries((await heddle.nodeTypes()).map((one) => [one.type, one]));
createRoot(document.getElementById('page')).render(
  <ReactFlowProvider>
    <Builder types={types} />
  </ReactFlowProvider>,
);
